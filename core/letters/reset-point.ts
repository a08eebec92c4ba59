import { BURY_STEP } from './park';

/** The parts of a history event that are needed here; the protobuf message of Temporal's API has this form. */
export interface HistoryEvent {
  eventId?: Id | null;
  activityTaskScheduledEventAttributes?: (Scheduled & { activityId?: string | null; activityType?: Named }) | null;
  startChildWorkflowExecutionInitiatedEventAttributes?:
    | (Scheduled & { workflowId?: string | null; workflowType?: Named; parentClosePolicy?: number | null })
    | null;
  startChildWorkflowExecutionFailedEventAttributes?: EndedChild | null;
  childWorkflowExecutionCompletedEventAttributes?: EndedChild | null;
  childWorkflowExecutionFailedEventAttributes?: EndedChild | null;
  childWorkflowExecutionCanceledEventAttributes?: EndedChild | null;
  childWorkflowExecutionTimedOutEventAttributes?: EndedChild | null;
  childWorkflowExecutionTerminatedEventAttributes?: EndedChild | null;
  signalExternalWorkflowExecutionInitiatedEventAttributes?: (Scheduled & { signalName?: string | null }) | null;
  requestCancelExternalWorkflowExecutionInitiatedEventAttributes?:
    | (Scheduled & { workflowExecution?: { workflowId?: string | null } | null })
    | null;
  nexusOperationScheduledEventAttributes?: (Scheduled & { operation?: string | null }) | null;
  markerRecordedEventAttributes?:
    | (Scheduled & {
        markerName?: string | null;
        details?: Record<string, MarkerDetail> | null;
        failure?: Failure | null;
      })
    | null;
  activityTaskCompletedEventAttributes?: Ended | null;
  activityTaskFailedEventAttributes?: Ended | null;
  activityTaskTimedOutEventAttributes?: Ended | null;
  activityTaskCanceledEventAttributes?: Ended | null;
  workflowTaskCompletedEventAttributes?: object | null;
  workflowExecutionFailedEventAttributes?: { failure?: Failure | null } | null;
  workflowExecutionTimedOutEventAttributes?: object | null;
}

interface Id {
  toString(): string;
}

interface Scheduled {
  workflowTaskCompletedEventId?: Id | null;
}

interface Ended {
  scheduledEventId?: Id | null;
}

interface EndedChild {
  initiatedEventId?: Id | null;
}

type Named = { name?: string | null } | null;

type MarkerDetail = { payloads?: { data?: Uint8Array | null }[] | null };

interface Failure {
  message?: string | null;
  stackTrace?: string | null;
  encodedAttributes?: object | null;
  cause?: Failure | null;
  applicationFailureInfo?: { type?: string | null } | null;
  activityFailureInfo?: { scheduledEventId?: Id | null } | null;
  childWorkflowExecutionFailureInfo?: { initiatedEventId?: Id | null } | null;
  nexusOperationExecutionFailureInfo?: { scheduledEventId?: Id | null } | null;
}

/** A step of a workflow: an activity, child workflow, signal, cancellation or Nexus operation that it requested. */
export interface Step {
  /** The kind of step. */
  kind: 'activity' | 'localActivity' | 'childWorkflow' | 'signal' | 'cancel' | 'nexusOperation';
  /** The type of the activity or workflow, the name of the signal or operation, or the cancelled workflow's ID. */
  name: string;
  /** The activity's ID or the child's workflow ID. */
  id?: string;
}

export interface ResetPoint {
  /** The completed workflow task to reset to; its commands are decided again. */
  eventId: number;
  /** The failed or parked step; undefined if no step is to blame. */
  step: Step | undefined;
  /**
   * Other steps that run again, completed or not: those of the same workflow task or after it, and activities of
   * earlier tasks that had not ended at that task. If a child workflow or Nexus operation failed, it runs again from
   * its beginning, and is listed too. A child workflow that ended because the run ended also runs again, and is listed.
   */
  siblings: Step[];
  /** The events of those activities of earlier tasks that had not ended; absent if there are none. */
  unended?: number[];
}

/**
 * Finds the event to which a failed or timed-out run should be reset. The reset goes to the workflow task that
 * scheduled the failed step, or recorded the end of a failed local activity. If no failed step is found, the reset goes
 * to the task that failed the workflow, or to the last completed one before the timeout. If the run's end has ended a
 * child workflow of an earlier task, the reset goes to that task. Otherwise no run would hear of the child's end, and a
 * run that waits for it would hang. The whole history is read, since a step of the first task may still have been
 * running at that point.
 *
 * @param newestFirst the run's history, newest event first
 * @param letterEventId the event of a step that must run again in any case, since it was parked when its run ended
 * @returns undefined if the run neither failed nor timed out, and no step was parked, or if no workflow task was
 *   completed
 */
export async function findResetPoint(
  newestFirst: AsyncIterable<HistoryEvent>,
  letterEventId?: number,
): Promise<ResetPoint | undefined> {
  const steps: ({ eventId: number } & FoundStep)[] = [];
  const blamed = new Set(letterEventId === undefined ? [] : [letterEventId]);
  /** The workflow's failure and its causes, until the local activity that failed so is found. */
  let passedOn: Failure[] = [];
  /** The last completed workflow task. If the workflow failed, it failed in this task. */
  let lastTask: number | undefined;
  let isLast = true;
  /** The events at which activities and child workflows ended, by the event that scheduled them. */
  const ends = new Map<number, number>();
  for await (const event of newestFirst) {
    const eventId = numberOf(event.eventId)!;
    if (isLast) {
      isLast = false;
      const failed = event.workflowExecutionFailedEventAttributes;
      if (!failed && !event.workflowExecutionTimedOutEventAttributes && blamed.size === 0) return undefined;
      const blamedId = blamedEventOf(failed?.failure);
      if (blamedId) blamed.add(blamedId);
      else passedOn = causesOf(failed?.failure);
    }
    const ended = endedStepOf(event);
    if (ended !== undefined) ends.set(ended, eventId);
    const scheduled = stepOf(event);
    if (scheduled) steps.push({ eventId, ...scheduled });
    const local = scheduled?.step.kind === 'localActivity' && event.markerRecordedEventAttributes?.failure;
    if (local && passedOn.some((cause) => isSame(cause, local))) {
      blamed.add(eventId);
      // Earlier attempts may have failed in the same words.
      passedOn = [];
    }
    if (event.workflowTaskCompletedEventAttributes) lastTask ??= eventId;
  }
  if (lastTask === undefined) return undefined;
  // If the failure names a step of another run, no step of this history is blamed.
  const must = steps.filter((one) => blamed.has(one.eventId) || (one.endsWithRun && !ends.has(one.eventId)));
  const point = Math.min(lastTask, ...must.map((one) => one.taskId));
  // The server forgets an activity's end that came after the reset point, and calls the activity again.
  const isUnended = ({ eventId, step }: (typeof steps)[number]) =>
    step.kind === 'activity' && (ends.get(eventId) ?? Number.POSITIVE_INFINITY) > point;
  const again = steps.filter((one) => one.taskId >= point || isUnended(one)).reverse();
  const unended = again.filter((one) => one.taskId < point).map((one) => one.eventId);
  return {
    eventId: point,
    step: again.find((one) => blamed.has(one.eventId))?.step,
    siblings: again.filter((one) => !blamed.has(one.eventId) || hasSteps(one.step)).map((one) => one.step),
    ...(unended.length > 0 ? { unended } : {}),
  };
}

/** Whether a step has steps of its own, which all run again if the step does. */
function hasSteps({ kind }: Step): boolean {
  return kind === 'childWorkflow' || kind === 'nexusOperation';
}

/** The event of a step that was parked when this run ended; undefined for other letters. */
export function parkedEventOf(
  step: { runId?: string; eventId?: number; burial?: number; waitsIn?: string } | null,
  runId: string,
): number | undefined {
  // A reset copies the event into the run to which it carries the step.
  return step?.burial !== undefined && (step.waitsIn ?? step.runId) === runId ? step.eventId : undefined;
}

/** The outermost step that a failure names, since inner ones may belong to the history of a child workflow. */
function blamedEventOf(failure: Failure | null | undefined): number | undefined {
  for (const cause of causesOf(failure)) {
    const id =
      cause.activityFailureInfo?.scheduledEventId ??
      cause.childWorkflowExecutionFailureInfo?.initiatedEventId ??
      cause.nexusOperationExecutionFailureInfo?.scheduledEventId;
    // For a local activity the ID is 0, which no event has.
    if (id != null) return numberOf(id);
  }
  return undefined;
}

function causesOf(failure: Failure | null | undefined): Failure[] {
  return failure ? [failure, ...causesOf(failure.cause)] : [];
}

/**
 * Whether a workflow has passed on the failure of a local activity, which mostly does not name the activity. Encoded
 * texts are not compared: they are the same for every failure.
 */
function isSame(one: Failure, other: Failure): boolean {
  if (one.encodedAttributes || one.message !== other.message || one.stackTrace !== other.stackTrace) return false;
  return one.applicationFailureInfo?.type === other.applicationFailureInfo?.type;
}

/** If this event ends an activity or child workflow: the event that scheduled it; else undefined. */
function endedStepOf(event: HistoryEvent): number | undefined {
  const activity =
    event.activityTaskCompletedEventAttributes ??
    event.activityTaskFailedEventAttributes ??
    event.activityTaskTimedOutEventAttributes ??
    event.activityTaskCanceledEventAttributes;
  const child =
    event.startChildWorkflowExecutionFailedEventAttributes ??
    event.childWorkflowExecutionCompletedEventAttributes ??
    event.childWorkflowExecutionFailedEventAttributes ??
    event.childWorkflowExecutionCanceledEventAttributes ??
    event.childWorkflowExecutionTimedOutEventAttributes ??
    event.childWorkflowExecutionTerminatedEventAttributes;
  return numberOf(activity?.scheduledEventId ?? child?.initiatedEventId);
}

interface FoundStep {
  taskId: number;
  step: Step;
  /** Whether the end of the run ends the step too. */
  endsWithRun?: boolean;
}

/** Temporal's `PARENT_CLOSE_POLICY_ABANDON`: a child that goes on when its parent has ended. */
const ABANDON = 2;

function stepOf(event: HistoryEvent): FoundStep | undefined {
  const of = (attributes: Scheduled, kind: Step['kind'], name?: string | null, id?: string | null) => ({
    taskId: numberOf(attributes.workflowTaskCompletedEventId) ?? 0,
    step: { kind, name: name ?? 'unknown', ...(id ? { id } : {}) },
  });
  const activity = event.activityTaskScheduledEventAttributes;
  if (activity) return of(activity, 'activity', activity.activityType?.name, activity.activityId);
  const child = event.startChildWorkflowExecutionInitiatedEventAttributes;
  if (child) {
    const found = of(child, 'childWorkflow', child.workflowType?.name, child.workflowId);
    return { ...found, endsWithRun: child.parentClosePolicy !== ABANDON };
  }
  const signal = event.signalExternalWorkflowExecutionInitiatedEventAttributes;
  if (signal) return of(signal, 'signal', signal.signalName);
  const cancel = event.requestCancelExternalWorkflowExecutionInitiatedEventAttributes;
  if (cancel) return of(cancel, 'cancel', cancel.workflowExecution?.workflowId);
  const operation = event.nexusOperationScheduledEventAttributes;
  if (operation) return of(operation, 'nexusOperation', operation.operation);
  const marker = event.markerRecordedEventAttributes;
  if (!marker || !/local_?activity/i.test(marker.markerName ?? '')) return undefined;
  const name = localActivityOf(marker.details);
  // The local activity that parks a step belongs to Escapement, not to the user's workflow, so it may be repeated.
  return name === BURY_STEP ? undefined : of(marker, 'localActivity', name);
}

/** The type that a local activity's marker names in JSON; `local activity` if it names none. */
function localActivityOf(details: Record<string, MarkerDetail> | null | undefined): string {
  for (const { payloads } of Object.values(details ?? {})) {
    for (const payload of payloads ?? []) {
      const found = LOCAL_ACTIVITY_TYPE.exec(Buffer.from(payload.data ?? []).toString('utf8'));
      if (found) return found[1]!;
    }
  }
  return UNNAMED;
}

const LOCAL_ACTIVITY_TYPE = /"activity_?type"\s*:\s*"([^"\\]+)"/i;
const UNNAMED = 'local activity';

function numberOf(id: Id | null | undefined): number | undefined {
  return id == null ? undefined : Number(id.toString());
}

const NAMES_AT_MOST = 10;

/** Describes steps in words, each name once: `activity pack (3 times), child workflow ship`. */
export function describeSteps(steps: readonly Step[]): string {
  const counts = new Map<string, number>();
  for (const { kind, name } of steps) {
    const text = name === UNNAMED ? 'a local activity' : `${KINDS[kind]} ${name}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const texts = [...counts].map(([text, count]) => (count > 1 ? `${text} (${count} times)` : text));
  const more = texts.length - NAMES_AT_MOST;
  return [...texts.slice(0, NAMES_AT_MOST), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

const KINDS: Record<Step['kind'], string> = {
  activity: 'activity',
  localActivity: 'local activity',
  childWorkflow: 'child workflow',
  signal: 'signal',
  cancel: 'cancel of',
  nexusOperation: 'operation',
};
