import { temporal } from '@temporalio/proto';
import type { FailedStep } from '../core/failed-step';

type Failure = temporal.api.failure.v1.IFailure;
type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

const { EventType, RetryState, TimeoutType } = temporal.api.enums.v1;
const LONGEST_MESSAGE = 1_000;

/**
 * The step that made a run fail, read from the end of its history, newest event first. Undefined where the run did not
 * fail or its last event is not among these.
 */
export function failedStepOf(events: HistoryEvent[]): FailedStep | undefined {
  const last = events[0];
  if (last?.eventType === EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT) {
    return { failure: { type: 'TIMEOUT', message: 'the workflow ran longer than its time limit' } };
  }
  const failure = last?.workflowExecutionFailedEventAttributes?.failure;
  if (!failure) return undefined;
  const activity = causes(failure).find((cause) => cause.activityFailureInfo);
  const root = causes(activity ?? failure).at(-1)!;
  return { ...(activity ? activityOf(activity, events) : {}), failure: reasonOf(root) };
}

/** The failure and what caused it, outermost first. */
function causes(failure: Failure): Failure[] {
  return failure.cause ? [failure, ...causes(failure.cause)] : [failure];
}

function activityOf(failure: Failure, events: HistoryEvent[]): Omit<FailedStep, 'failure'> {
  const info = failure.activityFailureInfo!;
  const started = events.find(
    (event) =>
      event.activityTaskStartedEventAttributes &&
      String(event.activityTaskStartedEventAttributes.scheduledEventId) === String(info.scheduledEventId),
  );
  const attempts = started?.activityTaskStartedEventAttributes?.attempt;
  return {
    activityType: info.activityType?.name ?? 'unknown',
    ...(info.activityId ? { activityId: info.activityId } : {}),
    ...(attempts ? { attempts } : {}),
    ...(info.retryState ? { retryState: RetryState[info.retryState].replace('RETRY_STATE_', '') } : {}),
  };
}

function reasonOf(failure: Failure): FailedStep['failure'] {
  const message = (failure.message ?? '').slice(0, LONGEST_MESSAGE);
  const timeout = failure.timeoutFailureInfo?.timeoutType;
  if (timeout) return { type: TimeoutType[timeout].replace('TIMEOUT_TYPE_', 'TIMEOUT_'), message };
  return { type: failure.applicationFailureInfo?.type || kindOf(failure), message };
}

function kindOf(failure: Failure): string {
  if (failure.canceledFailureInfo) return 'CANCELED';
  if (failure.terminatedFailureInfo) return 'TERMINATED';
  if (failure.childWorkflowExecutionFailureInfo) return 'CHILD_WORKFLOW';
  return 'FAILURE';
}
