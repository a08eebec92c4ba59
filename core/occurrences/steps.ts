import { InvalidScheduleError } from '../errors';

/**
 * The budget of an evaluation, counted in steps, so that no machine is too slow for a spec. A step is some ten
 * nanoseconds of work. A loop that a spec can make long spends for each of its rounds what that costs, within a
 * factor of three: `bench/spec-cost.ts` shows it.
 */
export const STEPS_AT_MOST = 600_000;

/** An occurrence that was found gives back the work of finding it, so that a list of them may be of any length. */
const STEPS_AN_OCCURRENCE = 2_000;

/** What is left to the evaluation that is under way. They are synchronous, so that there is one at a time. */
let left: number | undefined;

class TooManySteps extends Error {}

/** Take steps of the evaluation that is under way, which ends where none are left. */
export function spend(steps: number): void {
  if (left === undefined) return;
  left -= steps;
  if (left < 0) throw new TooManySteps();
}

/** One more occurrence of a list was found. */
export function foundOne(): void {
  if (left !== undefined) left = Math.min(left + STEPS_AN_OCCURRENCE, STEPS_AT_MOST);
}

/**
 * Evaluate within one budget, which whatever is evaluated within shares.
 *
 * @throws {InvalidScheduleError} where it takes more steps than that
 */
export function withinSteps<Result>(path: string, work: () => Result): Result {
  const outermost = left === undefined;
  left ??= STEPS_AT_MOST;
  try {
    return work();
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error;
    throw new InvalidScheduleError(
      path,
      'takes too long to evaluate; write fewer parts and values, or the times that skip would leave',
    );
  } finally {
    if (outermost) left = undefined;
  }
}

/** How many steps some work takes; {@link STEPS_AT_MOST} where it was given up. For tests and the bench. */
export function stepsOf(work: () => unknown): number {
  let rest = 0;
  try {
    withinSteps('spec', () => {
      work();
      rest = left!;
    });
  } catch (error) {
    if (!(error instanceof InvalidScheduleError)) throw error;
  }
  return STEPS_AT_MOST - rest;
}
