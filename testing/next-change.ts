import type { Connection } from '@temporalio/client';
import { optionalTsToMs, requiredTsToMs, tsToMs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import { WorkflowTaskFailedError } from './errors';

type Event = temporal.api.history.v1.IHistoryEvent;
const { EventType, PendingActivityState, WorkflowTaskFailedCause } = temporal.api.enums.v1;

/**
 * When a real workflow that is idle continues by itself, by the server's clock: at its next timer, run timeout, retry
 * or backoff, or at that of a child. For a workflow that has ended, the time of its end. The result is infinity if only
 * a message can wake the workflow, and undefined while it is busy.
 *
 * @throws {WorkflowTaskFailedError} if the workflow's task fails
 */
export async function nextChange(
  connection: Connection,
  namespace: string,
  workflowId: string,
): Promise<number | undefined> {
  const events = await readHistory(connection, namespace, workflowId);
  const last = events.at(-1)!;
  if (WORKFLOW_ENDS.has(last.eventType!)) return requiredTsToMs(last.eventTime, 'eventTime');
  return nextPending(connection, { namespace, workflowId }, events);
}

async function nextPending(
  connection: Connection,
  { namespace, workflowId }: { namespace: string; workflowId: string },
  events: Event[],
): Promise<number | undefined> {
  const pending = pendingOf(events, workflowId);
  if (!pending) return undefined;
  const changes = [...pending.instants];
  if (pending.activities > 0) {
    const { pendingActivities } = await connection.workflowService.describeWorkflowExecution({
      namespace,
      execution: { workflowId },
    });
    // An activity has ended since the history was read.
    if ((pendingActivities?.length ?? 0) < pending.activities) return undefined;
    for (const activity of pendingActivities ?? []) {
      const next = optionalTsToMs(activity.scheduledTime);
      const waits = activity.state === PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED && next !== undefined;
      if (!waits || (activity.attempt ?? 1) < 2) return undefined;
      changes.push(next);
    }
  }
  for (const child of pending.children) {
    const of = await readHistory(connection, namespace, child);
    // The child's result is about to be sent to its parent.
    if (WORKFLOW_ENDS.has(of.at(-1)!.eventType!)) return undefined;
    const next = await nextPending(connection, { namespace, workflowId: child }, of);
    if (next === undefined) return undefined;
    changes.push(next);
  }
  return Math.min(...changes, Number.POSITIVE_INFINITY);
}

/** The timers and tasks for which a workflow waits, by its history; undefined while a workflow task is outstanding. */
function pendingOf(events: Event[], workflowId: string) {
  const started = events[0]!;
  const attributes = started.workflowExecutionStartedEventAttributes;
  const startedAt = requiredTsToMs(started.eventTime, 'eventTime');
  const instants: number[] = [];
  const runTimeout = tsToMs(attributes?.workflowRunTimeout);
  const backoff = tsToMs(attributes?.firstWorkflowTaskBackoff);
  if (runTimeout > 0) instants.push(startedAt + backoff + runTimeout);

  const failed = events.findLast(({ eventType }) => WORKFLOW_TASK_ENDS.has(eventType!));
  const { failure, cause } = failed?.workflowTaskFailedEventAttributes ?? {};
  if (failure && cause !== WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND) {
    const type = attributes?.workflowType?.name;
    throw new WorkflowTaskFailedError(`workflow '${workflowId}' of type '${type}' cannot go on: ${failure.message}`);
  }
  if (events.findLast(({ eventType }) => WORKFLOW_TASK.has(eventType!))?.eventType !== TASK_COMPLETED) {
    if (events.length > 1 || backoff === 0) return undefined;
    return { instants: [startedAt + backoff], activities: 0, children: [] };
  }

  const timers = new Map<string, number>();
  const activities = new Set<string>();
  const children = new Map<string, string>();
  for (const event of events) {
    const { timerStartedEventAttributes: timer, childWorkflowExecutionStartedEventAttributes: child } = event;
    if (timer) {
      timers.set(timer.timerId!, requiredTsToMs(event.eventTime, 'eventTime') + tsToMs(timer.startToFireTimeout));
    }
    const timerEnd = event.timerFiredEventAttributes ?? event.timerCanceledEventAttributes;
    if (timerEnd) timers.delete(timerEnd.timerId!);
    if (event.activityTaskScheduledEventAttributes) activities.add(String(event.eventId));
    const activityEnd =
      event.activityTaskCompletedEventAttributes ??
      event.activityTaskFailedEventAttributes ??
      event.activityTaskTimedOutEventAttributes ??
      event.activityTaskCanceledEventAttributes;
    if (activityEnd) activities.delete(String(activityEnd.scheduledEventId));
    if (child) children.set(String(child.initiatedEventId), child.workflowExecution!.workflowId!);
    const childEnd =
      event.childWorkflowExecutionCompletedEventAttributes ??
      event.childWorkflowExecutionFailedEventAttributes ??
      event.childWorkflowExecutionCanceledEventAttributes ??
      event.childWorkflowExecutionTimedOutEventAttributes ??
      event.childWorkflowExecutionTerminatedEventAttributes;
    if (childEnd) children.delete(String(childEnd.initiatedEventId));
  }
  instants.push(...timers.values());
  return { instants, activities: activities.size, children: [...children.values()] };
}

const WORKFLOW_ENDS: ReadonlySet<number> = new Set([
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED,
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED,
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT,
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED,
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED,
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW,
]);
const TASK_COMPLETED = EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED;
const WORKFLOW_TASK_ENDS: ReadonlySet<number> = new Set([
  TASK_COMPLETED,
  EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED,
  EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT,
]);
const WORKFLOW_TASK: ReadonlySet<number> = new Set([
  ...WORKFLOW_TASK_ENDS,
  EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED,
  EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED,
]);

async function readHistory(connection: Connection, namespace: string, workflowId: string): Promise<Event[]> {
  const events: Event[] = [];
  let nextPageToken: Uint8Array | undefined;
  do {
    const response = await connection.workflowService.getWorkflowExecutionHistory({
      namespace,
      execution: { workflowId },
      nextPageToken,
    });
    events.push(...(response.history?.events ?? []));
    nextPageToken = response.nextPageToken?.length ? response.nextPageToken : undefined;
  } while (nextPageToken);
  return events;
}
