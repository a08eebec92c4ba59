import { isOver, isWaiting, nameOf, show } from '../rows';
import type { Memory } from './memory';

/** In a namespace that refuses all calls, checks wait an hour at most; those of ended chains too. */
const LONGEST_WAIT_MILLISECONDS = 61 * 60 * 1_000;

/** Everything that is not finished has a next check, which is soon. */
export function checkLiveness(memory: Memory): void {
  const { firings, letters } = memory.after;
  const latest = memory.world.clock.now() + LONGEST_WAIT_MILLISECONDS;
  const isSoon = (instant: number | null) => instant !== null && instant <= latest;
  for (const row of firings) {
    // Every waiting firing is in the index from which triggers take.
    const isAnnounced = row.state === 'linked' || (row.state === 'claimed' && !isWaiting(row));
    if (isAnnounced && !isSoon(row.check_at)) {
      memory.problem(`${nameOf(row)} is not looked at before ${row.check_at === null ? 'ever' : show(row.check_at)}`);
    }
  }
  // The end of a firing settles its letter, even the end of a run that a person started later.
  const settling = firings.filter((row) => !isOver(row) || isSoon(row.check_at));
  const settled = new Set(settling.map((row) => `${row.schedule_id} ${row.scheduled_time}`));
  for (const { schedule_id, scheduled_time, state, redrive } of letters) {
    if (state !== 'redriving' || settled.has(`${schedule_id} ${scheduled_time}`)) continue;
    if (!isSoon(redrive?.lookAt === undefined ? null : Date.parse(redrive.lookAt))) {
      memory.problem(`nobody polls the letter of ${schedule_id} ${show(scheduled_time)} that is ${redrive?.mode}`);
    }
  }
}
