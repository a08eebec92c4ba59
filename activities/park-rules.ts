import { type Duration, RetryState } from '@temporalio/common';
import { z } from 'zod';
import { millisecondsOf } from '../core/duration';
import { LONGEST_FAILURE_MESSAGE } from '../core/letters/failed-step';
import type { BuryRequest } from '../core/letters/park';
import { callback, duration, oneOf } from '../core/option-fields';
import { checkOptions, type FieldsOf } from '../core/options';
import { storableText } from '../core/storable';

/** A list of activity types, or `'all'`. */
export type ActivityTypes = readonly string[] | 'all';

/** An activity that has failed and that Temporal does not retry any more. The rules decide whether it is parked. */
export interface StepToPark {
  /** The ID of the schedule of the step's firing. */
  scheduleId: string;
  /** The nominal time of the step's firing. */
  scheduledTime: Date;
  /** The activity type. */
  activityType: string;
  /** Why the step is not retried. */
  retryState: RetryState;
  /**
   * The types of the step's failure and of the failure's causes, the outermost first. The failure type of a timeout is,
   * for example, `TIMEOUT_START_TO_CLOSE`.
   */
  failureTypes: readonly string[];
  /** The first 1,000 characters of the innermost failure's message, before any converter encodes it. */
  message: string;
}

/** The rules that decide which steps are parked: a step must match every given rule. */
export interface ParkRules {
  /** Activity types, or `'all'`. An empty list parks no further steps. */
  activityTypes: ActivityTypes;
  /** Failure types. The step's failure or one of its causes must have one of these types. @default any */
  failureTypes?: readonly string[];
  /**
   * The reasons why Temporal does not retry the step. @default any, except for failures that were declared
   * non-retryable
   */
  retryStates?: readonly RetryState[];
  /**
   * A function that decides whether to park a step that matches the other rules. The workflow's history stores the
   * decision. The function is called again if it throws, if the step cannot be recorded, or if both together take
   * longer than 18 seconds.
   * @default a function that returns true
   */
  when?: (step: StepToPark) => boolean | Promise<boolean>;
  /**
   * If the rules or the ledger do not answer, they are asked again until this long after the step's failure. After
   * that, the step fails as it would without park.
   * @default 10 minutes
   */
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

/** Ten minutes leave time for a failover of Postgres. */
const GIVE_UP_AFTER_MILLISECONDS = 10 * 60_000;

export function parkRules(park: ActivityTypes | ParkRules): ParkRules & { giveUpAfterMilliseconds: number } {
  const rules = typeof park === 'string' || !('activityTypes' in park) ? { activityTypes: park } : park;
  return { ...rules, giveUpAfterMilliseconds: millisecondsOf(rules.giveUpAfter) ?? GIVE_UP_AFTER_MILLISECONDS };
}

export function parksNothing(park: ActivityTypes | ParkRules): boolean {
  return parkRules(park).activityTypes.length === 0;
}

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
  const message = storableText(failure.message.slice(0, LONGEST_FAILURE_MESSAGE));
  const step = { scheduleId, scheduledTime: new Date(scheduledTime), activityType, retryState, failureTypes, message };
  return rules.when(step);
}

/**
 * Temporal also gives `NON_RETRYABLE_FAILURE` to timeouts that it does not retry, for example if no worker took the
 * step.
 */
function isDeclaredNonRetryable(retryState: RetryState, [outermost]: readonly string[]): boolean {
  return retryState === RetryState.NON_RETRYABLE_FAILURE && !outermost?.startsWith('TIMEOUT_');
}
