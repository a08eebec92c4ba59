/** The parts of a history event that matter here; the protobuf message of Temporal's API fits. */
export interface HistoryEvent {
  eventId?: Id | null;
  activityTaskScheduledEventAttributes?: (Scheduled & { activityId?: string | null; activityType?: Named }) | null;
  startChildWorkflowExecutionInitiatedEventAttributes?:
    | (Scheduled & { workflowId?: string | null; workflowType?: Named })
    | null;
  signalExternalWorkflowExecutionInitiatedEventAttributes?: (Scheduled & { signalName?: string | null }) | null;
  requestCancelExternalWorkflowExecutionInitiatedEventAttributes?:
    | (Scheduled & { workflowExecution?: { workflowId?: string | null } | null })
    | null;
  nexusOperationScheduledEventAttributes?: (Scheduled & { operation?: string | null }) | null;
  markerRecordedEventAttributes?: (Scheduled & { markerName?: string | null }) | null;
  workflowTaskCompletedEventAttributes?: object | null;
  workflowExecutionFailedEventAttributes?: (Scheduled & { failure?: Failure | null }) | null;
  workflowExecutionTimedOutEventAttributes?: object | null;
}

interface Id {
  toString(): string;
}

interface Scheduled {
  workflowTaskCompletedEventId?: Id | null;
}

type Named = { name?: string | null } | null;

interface Failure {
  cause?: Failure | null;
  activityFailureInfo?: { scheduledEventId?: Id | null } | null;
  childWorkflowExecutionFailureInfo?: { initiatedEventId?: Id | null } | null;
  nexusOperationExecutionFailureInfo?: { scheduledEventId?: Id | null } | null;
}

/** Something that a workflow did to the world outside of it. */
export interface Step {
  /** What it did. */
  kind: 'activity' | 'localActivity' | 'childWorkflow' | 'signal' | 'cancel' | 'nexusOperation';
  /** Type of the activity or the workflow, name of the signal or the operation. */
  name: string;
  /** The activity's ID or the child's workflow ID. */
  id?: string;
}

/** Where a failed run is to be taken up again. */
export interface ResetPoint {
  /** The completed workflow task whose commands are decided anew. */
  eventId: number;
  /** The step that failed; undefined where the workflow failed by itself or ran out of time. */
  step: Step | undefined;
  /** Other steps of that workflow task or after it: they run again, whether they had completed or not. */
  siblings: Step[];
}

/**
 * Where a failed or timed out run is to be reset to: the workflow task that scheduled the step that failed, or else the
 * one that failed the workflow, or the last one before its time ran out. Reads no further back than that.
 *
 * @param newestFirst the run's history, backwards
 * @returns undefined where the run neither failed nor timed out, or no workflow task of it was completed
 */
export async function findResetPoint(newestFirst: AsyncIterable<HistoryEvent>): Promise<ResetPoint | undefined> {
  const steps: { eventId: number; taskId: number; step: Step }[] = [];
  let blamed: number | undefined;
  let failingTask: number | undefined;
  let taskId: number | undefined;
  let isLast = true;
  for await (const event of newestFirst) {
    const eventId = numberOf(event.eventId)!;
    if (isLast) {
      isLast = false;
      const failed = event.workflowExecutionFailedEventAttributes;
      if (!failed && !event.workflowExecutionTimedOutEventAttributes) return undefined;
      failingTask = numberOf(failed?.workflowTaskCompletedEventId);
      blamed = blamedEventOf(failed?.failure);
      if (blamed === undefined) taskId = failingTask;
    }
    if (taskId !== undefined && eventId <= taskId) break;
    const scheduled = stepOf(event);
    if (scheduled) steps.push({ eventId, ...scheduled });
    // An error may carry the failure of a step that is not of this run: then the workflow failed by itself.
    if (eventId === blamed) taskId = scheduled?.taskId ?? failingTask;
    // Without a failure, such as after a time limit, the last workflow task counts.
    if (blamed === undefined && event.workflowTaskCompletedEventAttributes) taskId ??= eventId;
  }
  taskId ??= failingTask;
  if (taskId === undefined) return undefined;
  const again = steps.filter((one) => one.taskId >= taskId!).reverse();
  return {
    eventId: taskId,
    step: again.find((one) => one.eventId === blamed)?.step,
    siblings: again.filter((one) => one.eventId !== blamed).map((one) => one.step),
  };
}

/** The outermost step that a failure names: what lies deeper may be of a child's history. */
function blamedEventOf(failure: Failure | null | undefined): number | undefined {
  for (let cause = failure; cause; cause = cause.cause) {
    const id =
      cause.activityFailureInfo?.scheduledEventId ??
      cause.childWorkflowExecutionFailureInfo?.initiatedEventId ??
      cause.nexusOperationExecutionFailureInfo?.scheduledEventId;
    // A local activity has no such event; its failure is the workflow task's own.
    if (id != null) return numberOf(id) || undefined;
  }
  return undefined;
}

function stepOf(event: HistoryEvent): { taskId: number; step: Step } | undefined {
  const of = (attributes: Scheduled, kind: Step['kind'], name?: string | null, id?: string | null) => ({
    taskId: numberOf(attributes.workflowTaskCompletedEventId) ?? 0,
    step: { kind, name: name ?? 'unknown', ...(id ? { id } : {}) },
  });
  const activity = event.activityTaskScheduledEventAttributes;
  if (activity) return of(activity, 'activity', activity.activityType?.name, activity.activityId);
  const child = event.startChildWorkflowExecutionInitiatedEventAttributes;
  if (child) return of(child, 'childWorkflow', child.workflowType?.name, child.workflowId);
  const signal = event.signalExternalWorkflowExecutionInitiatedEventAttributes;
  if (signal) return of(signal, 'signal', signal.signalName);
  const cancel = event.requestCancelExternalWorkflowExecutionInitiatedEventAttributes;
  if (cancel) return of(cancel, 'cancel', cancel.workflowExecution?.workflowId);
  const operation = event.nexusOperationScheduledEventAttributes;
  if (operation) return of(operation, 'nexusOperation', operation.operation);
  const marker = event.markerRecordedEventAttributes;
  // The marker's name is its SDK's; which activity it was lies in a payload.
  if (marker && /local_?activity/i.test(marker.markerName ?? '')) return of(marker, 'localActivity', 'local activity');
  return undefined;
}

function numberOf(id: Id | null | undefined): number | undefined {
  return id == null ? undefined : Number(id.toString());
}

const NAMES_AT_MOST = 10;

/** Steps in words, each name once: `activity pack (3 times), child workflow ship`. */
export function describeSteps(steps: readonly Step[]): string {
  const counts = new Map<string, number>();
  for (const { kind, name } of steps) {
    const text = kind === 'localActivity' ? 'a local activity' : `${KINDS[kind]} ${name}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const texts = [...counts].map(([text, count]) => (count > 1 ? `${text} (${count} times)` : text));
  const more = texts.length - NAMES_AT_MOST;
  return [...texts.slice(0, NAMES_AT_MOST), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

const KINDS: Record<Exclude<Step['kind'], 'localActivity'>, string> = {
  activity: 'activity',
  childWorkflow: 'child workflow',
  signal: 'signal',
  cancel: 'cancel of',
  nexusOperation: 'operation',
};
