import { type ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import type { ParkedStep } from '../core/park';
import { storableText } from '../core/storable';

const LONGEST_MESSAGE = 1_000;

/** What a person needs to know of a step that failed for good. */
export function stepOf(failure: ActivityFailure): Omit<ParkedStep, 'burial'> {
  const cause = innermost(failure);
  return {
    activityType: failure.activityType,
    ...(failure.activityId ? { activityId: failure.activityId } : {}),
    retryState: String(failure.retryState),
    failure: { type: storableText(typeOf(cause)), message: storableText(cause.message.slice(0, LONGEST_MESSAGE)) },
  };
}

function innermost(error: Error): Error {
  return error.cause instanceof Error ? innermost(error.cause) : error;
}

function typeOf(error: Error): string {
  if (error instanceof ApplicationFailure) return error.type || error.name;
  return error instanceof TimeoutFailure ? `TIMEOUT_${error.timeoutType}` : error.name;
}
