import { type CompiledSpec, foundOne, withinSteps } from '../../core/occurrences';
import { LAST_SECOND } from '../../core/occurrences/civil';
import type { NativeSchedules } from '../native/native';
import { MovingProblem } from '../problem';

const COMPARED = 100;

/**
 * Compare the next hundred times of a translated spec with the server's own list.
 *
 * @param about.isMoved whether the schedule's jitter changes the listed times
 * @throws {MovingProblem} that names the first time that differs
 */
export async function compareTimes(
  native: NativeSchedules,
  scheduleId: string,
  { compiled, isMoved, now }: { compiled: CompiledSpec; isMoved: boolean; now: number },
): Promise<void> {
  const from = Math.floor(now / 1_000) * 1_000;
  const ours = withinSteps('spec', () => nextTimes(compiled, from));
  // One more time is read, since jitter may move the last time beyond the end of the list.
  const to = ours[COMPARED] ?? LAST_SECOND * 1_000;
  const theirs = (await native.startTimes(scheduleId, from, to)).slice(0, COMPARED);
  const expected = ours.slice(0, COMPARED);
  for (const [index, nominal] of expected.entries()) {
    const next = ours[index + 1] ?? Number.POSITIVE_INFINITY;
    const start = theirs[index];
    // The server delays a time by its jitter, but never beyond the next one.
    if (start === nominal || (start !== undefined && isMoved && start > nominal && start <= next)) continue;
    const found = start === undefined ? 'none' : new Date(start).toISOString();
    throw new MovingProblem(
      `the ${index + 1}. of its next times would be ${new Date(nominal).toISOString()} here, and the server says ${found}`,
    );
  }
  if (theirs.length > expected.length) {
    throw new MovingProblem(
      `the server lists ${new Date(theirs[expected.length]!).toISOString()}, which is no time here`,
    );
  }
}

function nextTimes(compiled: CompiledSpec, from: number): number[] {
  const times: number[] = [];
  for (let at = compiled.next(from); at !== undefined && times.length <= COMPARED; at = compiled.next(at)) {
    times.push(at);
    foundOne();
  }
  return times;
}
