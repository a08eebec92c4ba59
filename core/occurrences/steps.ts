import { InvalidScheduleError } from '../errors';

/**
 * How many steps an evaluation may have left at most. Steps are counted, so that the speed of the machine does not
 * matter. `bench/spec-cost.ts` measures the cost of specs in steps and in CPU time.
 */
export const STEPS_AT_MOST = 600_000;

/** {@link foundOne} restores this part of the budget for each occurrence, so that a list of them may be long. */
const STEPS_AN_OCCURRENCE = 2_000;

/** The steps that are left for the current evaluation. Evaluations are synchronous, so only one runs at a time. */
let left: number | undefined;

/** A budget that several evaluations share. */
export interface Steps {
  left: number;
}

export function newSteps(): Steps {
  return { left: STEPS_AT_MOST };
}

class TooManySteps extends Error {}

/** Aborts the evaluation if fewer steps than these are left. */
export function spend(steps: number): void {
  if (left === undefined) return;
  left -= steps;
  if (left < 0) throw new TooManySteps();
}

export function foundOne(): void {
  if (left !== undefined) left = Math.min(left + STEPS_AN_OCCURRENCE, STEPS_AT_MOST);
}

/**
 * Evaluate within one budget of steps; nested evaluations share the budget.
 *
 * @param steps a budget that earlier evaluations may have used in part; a nested evaluation ignores it
 * @throws {InvalidScheduleError} if the evaluation takes more steps
 */
export function withinSteps<Result>(path: string, work: () => Result, steps?: Steps): Result {
  const outermost = left === undefined;
  left ??= steps?.left ?? STEPS_AT_MOST;
  try {
    return work();
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error;
    throw new InvalidScheduleError(
      path,
      'takes too long to evaluate; use fewer parts and values, or list the remaining times instead of skipping',
    );
  } finally {
    if (outermost) {
      if (steps) steps.left = left!;
      left = undefined;
    }
  }
}

/** As {@link withinSteps}, with a whole budget even within another evaluation. */
export function withOwnSteps<Result>(path: string, work: () => Result): Result {
  const outer = left;
  left = undefined;
  try {
    return withinSteps(path, work);
  } finally {
    left = outer;
  }
}

/**
 * The steps that the work takes, less those that found occurrences gave back; {@link STEPS_AT_MOST} if the spec is
 * refused. This function is for tests and the bench.
 */
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
