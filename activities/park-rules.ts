import { type Duration, RetryState } from '@temporalio/common';
import { z } from 'zod';
import { millisecondsOf } from '../core/duration';
import type { BuryRequest } from '../core/letters/park';
import { callback, duration, oneOf } from '../core/option-fields';
import { checkOptions, type FieldsOf } from '../core/options';

/** Types of activities, or all of them. */
export type ActivityTypes = readonly string[] | 'all';

/** A step that failed for good, of which a rule says whether it is parked. */
export interface StepToPark {
  /** Of its firing. */
  scheduleId: string;
  /** Nominal time of its firing. */
  scheduledTime: Date;
  /** Type of the activity. */
  activityType: string;
  /** Why it is not tried again. */
  retryState: RetryState;
  /** Types of its failure and of that failure's causes, the outermost first; `TIMEOUT_START_TO_CLOSE` and the like of a time limit. */
  failureTypes: readonly string[];
  /** What the innermost failure says, the first 1,000 characters, as no converter has encoded it. */
  message: string;
}

/** Which steps are parked: those that every rule given is true of. */
export interface ParkRules {
  /** Types of activities, or `'all'`. With an empty list nothing more is parked. */
  activityTypes: ActivityTypes;
  /** Types of failures, of which the step's failure or one of its causes has one. @default any */
  failureTypes?: readonly string[];
  /** Why the step is not tried again. @default any, but not a failure that was declared non-retryable */
  retryStates?: readonly RetryState[];
  /**
   * Called in the worker once for each step that the other rules are true of. Its answer is kept in the workflow's history. Where
   * it throws it is tried again, as where Postgres is away. @default true
   */
  when?: (step: StepToPark) => boolean | Promise<boolean>;
  /** So long after its failure a step that the ledger could not be told of fails, as without park. @default 10 minutes */
  giveUpAfter?: Duration;
}

const activityTypes = z.custom(
  (value) =>
    value === 'all' || (Array.isArray(value) && value.every((type) => typeof type === 'string' && type !== '')),
  { error: `give a list of activity types such as ['chargeCard'], or 'all'` },
);

const RULES = z.strictObject({
  activityTypes,
  failureTypes: z.array(z.string().min(1)).min(1).optional(),
  retryStates: z
    .array(oneOf(Object.keys(RetryState)))
    .min(1)
    .optional(),
  when: callback.optional(),
  giveUpAfter: duration.optional(),
} satisfies FieldsOf<ParkRules>);

/** @throws {InvalidOptionError} */
export function checkParkRules(park: unknown, at: string): void {
  const isTypes = typeof park !== 'object' || park === null || Array.isArray(park);
  checkOptions(isTypes ? activityTypes : RULES, park, at);
}

/** As long as Postgres fails over, with time for a person to look. */
const GIVE_UP_AFTER_MILLISECONDS = 10 * 60_000;

/** The rules that are in force. */
export function parkRules(park: ActivityTypes | ParkRules): ParkRules & { giveUpAfterMilliseconds: number } {
  const rules = typeof park === 'string' || !('activityTypes' in park) ? { activityTypes: park } : park;
  return { ...rules, giveUpAfterMilliseconds: millisecondsOf(rules.giveUpAfter) ?? GIVE_UP_AFTER_MILLISECONDS };
}

/** Whether the rules are true of no step. */
export function parksNothing(park: ActivityTypes | ParkRules): boolean {
  return parkRules(park).activityTypes.length === 0;
}

/** Whether the rules are true of a step. */
export async function isToBeParked(rules: ParkRules, request: BuryRequest): Promise<boolean> {
  const { activityType, failure } = request.step;
  const { failureTypes } = request;
  const retryState = request.step.retryState as RetryState;
  if (rules.activityTypes !== 'all' && !rules.activityTypes.includes(activityType)) return false;
  if (rules.failureTypes && !failureTypes.some((type) => rules.failureTypes!.includes(type))) return false;
  const isState = rules.retryStates?.includes(retryState) ?? !isDeclaredNonRetryable(retryState, failureTypes);
  if (!isState) return false;
  if (!rules.when) return true;
  const { scheduleId, scheduledTime } = request;
  const { message } = failure;
  const step = { scheduleId, scheduledTime: new Date(scheduledTime), activityType, retryState, failureTypes, message };
  return rules.when(step);
}

/** Temporal gives this state to time limits too that it does not retry, such as of a step that no worker took. */
function isDeclaredNonRetryable(retryState: RetryState, [outermost]: readonly string[]): boolean {
  return retryState === RetryState.NON_RETRYABLE_FAILURE && !outermost?.startsWith('TIMEOUT_');
}
