import { decodeTimeoutType, type ProtoFailure } from '@temporalio/common';
import { type ActivityFailure, ApplicationFailure, TimeoutFailure, workflowInfo } from '@temporalio/workflow';
import type { ParkedStep } from '../core/letters/failed-step';
import { storableText } from '../core/storable';

export function stepOf(failure: ActivityFailure): Omit<ParkedStep, 'burial'> {
  const cause = innermost(failure);
  const eventId = Number(failure.failure?.activityFailureInfo?.scheduledEventId ?? 0);
  return {
    ...(eventId ? { eventId } : {}),
    activityType: failure.activityType,
    ...(failure.activityId ? { activityId: failure.activityId } : {}),
    retryState: String(failure.retryState),
    originalRunId: workflowInfo().originalExecutionRunId,
    failure: {
      type: storableText(typeOf(cause)),
      message: storableText(cause.message),
    },
  };
}

/** The types of a step's failure and of its causes, the outermost first. */
export function failureTypesOf(failure: ActivityFailure): string[] {
  const types: string[] = [];
  for (let cause: unknown = failure.cause; cause instanceof Error; cause = cause.cause) {
    types.push(typeOf(cause));
    if (cause instanceof TimeoutFailure) types.push(...typesBefore(cause.failure));
  }
  return types.map(storableText);
}

/** The types of the attempts' failures before a timeout. The SDK (1.24) does not decode the cause of a timeout. */
function typesBefore(timeout: ProtoFailure | undefined): string[] {
  const types: string[] = [];
  for (let cause = timeout?.cause; cause; cause = cause.cause) {
    const { applicationFailureInfo: application, timeoutFailureInfo: info } = cause;
    if (application) types.push(application.type || ApplicationFailure.name);
    if (info) types.push(`TIMEOUT_${decodeTimeoutType(info.timeoutType)}`);
  }
  return types;
}

function innermost(error: Error): Error {
  return error.cause instanceof Error ? innermost(error.cause) : error;
}

function typeOf(error: Error): string {
  if (error instanceof ApplicationFailure) return error.type || error.name;
  return error instanceof TimeoutFailure ? `TIMEOUT_${error.timeoutType}` : error.name;
}
