import type { RetryPolicy } from '@temporalio/common';
import { InvalidScheduleError } from '../errors';
import { optionalMilliseconds } from './shape';

export interface RetryShape extends Omit<RetryPolicy, 'initialInterval' | 'maximumInterval'> {
  initialInterval?: string | number;
  maximumInterval?: string | number;
}

/**
 * A workflow's retry policy in plain JSON, its durations in milliseconds.
 *
 * @throws {InvalidScheduleError} if a duration is bad, or `maximumInterval` is less than `initialInterval`, which is a
 *   second by default
 */
export function parseRetry(retry: RetryShape | undefined): RetryPolicy | undefined {
  if (!retry) return undefined;
  const { initialInterval, maximumInterval, maximumAttempts, backoffCoefficient, ...rest } = retry;
  const initial = optionalMilliseconds('action.retry.initialInterval', initialInterval);
  const maximum = optionalMilliseconds('action.retry.maximumInterval', maximumInterval);
  if (maximum !== undefined && maximum < (initial ?? TEMPORALS_INITIAL_INTERVAL_MILLISECONDS)) {
    throw new InvalidScheduleError(
      'action.retry.maximumInterval',
      'is less than initialInterval (1 second by default)',
    );
  }
  return {
    ...rest,
    // Infinity is Temporal's default and has no JSON form, so it is left out. Temporal's own `describe` returns 0 for a
    // field that was not set.
    ...(!maximumAttempts || maximumAttempts === Number.POSITIVE_INFINITY ? {} : { maximumAttempts }),
    ...(backoffCoefficient ? { backoffCoefficient } : {}),
    ...(initial === undefined ? {} : { initialInterval: initial }),
    ...(maximum === undefined ? {} : { maximumInterval: maximum }),
  };
}

const TEMPORALS_INITIAL_INTERVAL_MILLISECONDS = 1_000;
