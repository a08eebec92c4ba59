import type { AskedFact } from '../journal';

/** How long a trigger may be behind: what came due before a pause and nobody had answered by then is answered by the pause. */
const BEHIND_MILLISECONDS = 90_000;

/** Between which instants a schedule may have been paused, or deleted, or in a change of either. */
export interface Stretch {
  from: number;
  to: number;
}

/** When the schedule may have been paused. A pause that was never answered may have been from then on. */
export function pausesOf(asked: readonly AskedFact[], scheduleId: string): Stretch[] {
  const pauses: Stretch[] = [];
  for (const one of asked) {
    if (one.scheduleId !== scheduleId) continue;
    if (one.ask === 'pause') pauses.push({ from: one.asked, to: Number.POSITIVE_INFINITY });
    if (one.ask !== 'unpause' || one.answered === undefined) continue;
    for (const pause of pauses) pause.to = Math.min(pause.to, one.answered);
  }
  return pauses;
}

/** When the schedule may have been deleted, and not created again. */
export function deletionsOf(asked: readonly AskedFact[], scheduleId: string): Stretch[] {
  return asked.flatMap((one) =>
    one.scheduleId === scheduleId && one.ask === 'delete'
      ? [{ from: one.asked, to: one.answered ?? Number.POSITIVE_INFINITY }]
      : [],
  );
}

/** Whether an occurrence may be answered by one of these, by a row that was written then. */
export function excuses(stretches: readonly Stretch[], time: number, writtenAt: number): boolean {
  return stretches.some(({ from, to }) => time >= from - BEHIND_MILLISECONDS && time <= to && writtenAt >= from);
}
