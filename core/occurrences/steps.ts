import { InvalidScheduleError } from '../errors';

/**
 * The budget of an evaluation, counted in steps, so that no machine is too slow for a spec. A step is ten to
 * twenty nanoseconds of work; a loop that a spec can make long spends one or more for each of its rounds.
 */
const STEPS_AT_MOST = 3_000_000;

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
