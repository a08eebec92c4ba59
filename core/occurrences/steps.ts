import { InvalidScheduleError } from '../errors';

/**
 * The budget of an evaluation, counted in steps, so that it does not depend on the speed of the machine. A step is
 * about ten nanoseconds of work. Every loop whose length a spec can control takes steps for the cost of each round,
 * within a factor of three: `bench/spec-cost.ts` shows it.
 */
export const STEPS_AT_MOST = 600_000;

/** Finding an occurrence restores the budget, so that a list of occurrences may have any length. */
const STEPS_AN_OCCURRENCE = 2_000;

/** The remaining budget of the current evaluation. Evaluations are synchronous, so there is one at a time. */
let left: number | undefined;

class TooManySteps extends Error {}

/** Take steps from the current evaluation, and abort it if none are left. */
export function spend(steps: number): void {
  if (left === undefined) return;
  left -= steps;
  if (left < 0) throw new TooManySteps();
}

/** Record that one more occurrence of a list was found. */
export function foundOne(): void {
  if (left !== undefined) left = Math.min(left + STEPS_AN_OCCURRENCE, STEPS_AT_MOST);
}

/**
 * Evaluate within one budget, which nested evaluations share.
 *
 * @throws {InvalidScheduleError} if it takes more steps than that
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
      'takes too long to evaluate; use fewer parts and values, or list the remaining times instead of skipping',
    );
  } finally {
    if (outermost) left = undefined;
  }
}

/** How many steps some work takes; {@link STEPS_AT_MOST} if it was aborted. For tests and the bench. */
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
