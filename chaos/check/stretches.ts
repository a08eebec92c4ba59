import type { AskedFact } from '../journal';

/**
 * The longest delay of triggers that is assumed, in milliseconds. A pause may also answer an occurrence that was due up
 * to this long before, and that no trigger had answered yet.
 */
const BEHIND_MILLISECONDS = 90_000;

/**
 * A period in which a schedule may have been paused or deleted. It includes the requests that began and ended that
 * state.
 */
export interface Stretch {
  from: number;
  to: number;
}

/**
 * The periods in which the schedule may have been paused: from the request of a pause to the answer of an unpause.
 */
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

/** The periods in which the schedule was surely paused: from the answer of a pause to the request of an unpause. */
export function surePausesOf(asked: readonly AskedFact[], scheduleId: string): Stretch[] {
  const ofIt = asked.filter((one) => one.scheduleId === scheduleId);
  return ofIt.flatMap(({ ask, answered }, index) => {
    if (ask !== 'pause' || answered === undefined) return [];
    const unpause = ofIt.slice(index + 1).find((one) => one.ask === 'unpause');
    return [{ from: answered, to: unpause?.asked ?? Number.POSITIVE_INFINITY }];
  });
}

/** The periods in which the schedule may have been deleted and not yet created again. */
export function deletionsOf(asked: readonly AskedFact[], scheduleId: string): Stretch[] {
  return asked.flatMap((one) =>
    one.scheduleId === scheduleId && one.ask === 'delete'
      ? [{ from: one.asked, to: one.answered ?? Number.POSITIVE_INFINITY }]
      : [],
  );
}

/**
 * Whether one of these periods explains why an occurrence did not start, given when the row with that reason was
 * written.
 */
export function excuses(stretches: readonly Stretch[], time: number, writtenAt: number): boolean {
  return stretches.some(({ from, to }) => time >= from - BEHIND_MILLISECONDS && time <= to && writtenAt >= from);
}
