import { findResetPoint, type HistoryEvent } from '../../../core/letters/reset-point';

/** The reset point of a history that is written forwards; its events get the IDs from 1 on. */
export async function pointOf(...events: HistoryEvent[]) {
  return pointWithParked(undefined, ...events);
}

/** The reset point for the letter of a step that was parked when its run ended. */
export async function pointWithParked(letterEventId: number | undefined, ...events: HistoryEvent[]) {
  async function* backwards() {
    yield* events.map((event, index) => ({ eventId: index + 1, ...event })).reverse();
  }
  return findResetPoint(backwards(), letterEventId);
}

export const started: HistoryEvent = {};
export const task: HistoryEvent = { workflowTaskCompletedEventAttributes: {} };
export const other: HistoryEvent = {};
export const timedOut: HistoryEvent = { workflowExecutionTimedOutEventAttributes: {} };

export const activity = (name: string, workflowTaskCompletedEventId: number): HistoryEvent => ({
  activityTaskScheduledEventAttributes: { activityId: name, activityType: { name }, workflowTaskCompletedEventId },
});

export const ACTIVITY_ENDS = ['Completed', 'Failed', 'TimedOut', 'Canceled'] as const;

export const ended = (scheduledEventId: number, how: (typeof ACTIVITY_ENDS)[number] = 'Completed') =>
  ({ [`activityTask${how}EventAttributes`]: { scheduledEventId } }) as HistoryEvent;

/** @param parentClosePolicy Temporal's number; 1 is TERMINATE, 2 ABANDON, and 3 REQUEST_CANCEL */
export const child = (name: string, workflowTaskCompletedEventId: number, parentClosePolicy = 1): HistoryEvent => ({
  startChildWorkflowExecutionInitiatedEventAttributes: {
    ...{ workflowId: `${name}-1`, workflowType: { name }, workflowTaskCompletedEventId, parentClosePolicy },
  },
});

type FailedAttributes = NonNullable<HistoryEvent['workflowExecutionFailedEventAttributes']>;

export const failedBy = (failure: FailedAttributes['failure']): HistoryEvent => ({
  workflowExecutionFailedEventAttributes: { failure },
});

/** The workflow's failure, caused by the activity of that event, or by no step. */
export const failed = (scheduledEventId?: number): HistoryEvent =>
  failedBy(scheduledEventId === undefined ? {} : { cause: { activityFailureInfo: { scheduledEventId } } });
