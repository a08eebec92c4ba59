import { isOver, nameOf, show } from '../rows';
import type { Memory } from './memory';

/** Checks of a namespace that refuses all wait for an hour at most; those of ended chains too. */
const LONGEST_WAIT_MILLISECONDS = 61 * 60 * 1_000;

/** Whatever is not over is looked at again, and before long. */
export function checkLiveness(memory: Memory): void {
  const { firings, letters } = memory.after;
  const now = memory.world.clock.now();
  for (const row of firings) {
    const isLookedAt = row.state === 'claimed' || row.state === 'linked';
    if (isLookedAt && (row.check_at ?? Number.POSITIVE_INFINITY) > now + LONGEST_WAIT_MILLISECONDS) {
      memory.problem(`${nameOf(row)} is not looked at before ${row.check_at === null ? 'ever' : show(row.check_at)}`);
    }
  }
  const open = new Set(firings.filter((row) => !isOver(row)).map((row) => `${row.schedule_id} ${row.scheduled_time}`));
  for (const { schedule_id, scheduled_time, state, redrive } of letters) {
    if (state !== 'redriving' || open.has(`${schedule_id} ${scheduled_time}`)) continue;
    const lookAt = redrive?.lookAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(redrive.lookAt);
    if (lookAt > now + LONGEST_WAIT_MILLISECONDS) {
      memory.problem(`nobody looks at the letter of ${schedule_id} ${show(scheduled_time)} that is ${redrive?.mode}`);
    }
  }
}
