import { isOver, isWaiting, nameOf, show } from '../rows';
import type { Memory } from './memory';

/** Checks of a namespace that refuses all wait for an hour at most; those of ended chains too. */
const LONGEST_WAIT_MILLISECONDS = 61 * 60 * 1_000;

/** Whatever is not over is looked at again, and before long. */
export function checkLiveness(memory: Memory): void {
  const { firings, letters } = memory.after;
  const latest = memory.world.clock.now() + LONGEST_WAIT_MILLISECONDS;
  const isSoon = (instant: number | null) => instant !== null && instant <= latest;
  for (const row of firings) {
    // What waits is in the index that every trigger takes from.
    const isAnnounced = row.state === 'linked' || (row.state === 'claimed' && !isWaiting(row));
    if (isAnnounced && !isSoon(row.check_at)) {
      memory.problem(`${nameOf(row)} is not looked at before ${row.check_at === null ? 'ever' : show(row.check_at)}`);
    }
  }
  // The end of its firing settles a letter, also the end of a run that a person began after one.
  const settling = firings.filter((row) => !isOver(row) || isSoon(row.check_at));
  const settled = new Set(settling.map((row) => `${row.schedule_id} ${row.scheduled_time}`));
  for (const { schedule_id, scheduled_time, state, redrive } of letters) {
    if (state !== 'redriving' || settled.has(`${schedule_id} ${scheduled_time}`)) continue;
    if (!isSoon(redrive?.lookAt === undefined ? null : Date.parse(redrive.lookAt))) {
      memory.problem(`nobody polls the letter of ${schedule_id} ${show(scheduled_time)} that is ${redrive?.mode}`);
    }
  }
}
