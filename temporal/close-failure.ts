import { temporal } from '@temporalio/proto';
import type { FailedStep, StepFailure } from '../core/letters/failed-step';

type Failure = temporal.api.failure.v1.IFailure;
type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

const { EventType, RetryState, TimeoutType } = temporal.api.enums.v1;
const { Payload } = temporal.api.common.v1;
/** The most bytes of an encoded failure text, which includes the stack trace. A longer text is left out. */
const LONGEST_ENCODED = 16_384;

/** @param events the end of the run's history, newest first */
export function failedStepOf(events: HistoryEvent[], runId: string): FailedStep | undefined {
  const last = events[0];
  if (last?.eventType === EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT) {
    return { runId, failure: { type: 'TIMEOUT', message: 'the workflow ran longer than its time limit' } };
  }
  const failure = last?.workflowExecutionFailedEventAttributes?.failure;
  if (!failure) return undefined;
  const chain = causes(failure);
  const blamed = chain.findIndex((cause) => eventOf(cause) !== undefined || cause.activityFailureInfo);
  if (blamed === -1) return { runId, failure: reasonOf(chain.at(-1)!) };
  // Inner failures may belong to a child workflow, whose events are not in this history.
  const step = chain[blamed]!;
  const eventId = eventOf(step);
  const activity = chain.find((cause) => cause.activityFailureInfo);
  return {
    runId,
    ...(eventId ? { eventId } : {}),
    ...(activity ? activityOf(activity) : {}),
    ...(step === activity ? attemptsOf(eventId, events) : {}),
    ...outerOf(step),
    failure: reasonOf(chain.at(-1)!),
  };
}

function causes(failure: Failure): Failure[] {
  return failure.cause ? [failure, ...causes(failure.cause)] : [failure];
}

/** The event that scheduled the step; 0 for a local activity, undefined for a failure that names no such event. */
function eventOf(failure: Failure): number | undefined {
  const id =
    failure.activityFailureInfo?.scheduledEventId ??
    failure.childWorkflowExecutionFailureInfo?.initiatedEventId ??
    failure.nexusOperationExecutionFailureInfo?.scheduledEventId;
  return id == null ? undefined : Number(id);
}

function activityOf({ activityFailureInfo: info }: Failure): Partial<FailedStep> {
  return {
    activityType: info!.activityType?.name ?? 'unknown',
    ...(info!.activityId ? { activityId: info!.activityId } : {}),
    ...(info!.retryState ? { retryState: nameIn(RetryState, info!.retryState).replace('RETRY_STATE_', '') } : {}),
  };
}

/** The name of an enum's value; its number if only a newer server knows it. */
function nameIn(names: Record<number, string>, value: number): string {
  return names[value] ?? String(value);
}

function attemptsOf(eventId: number | undefined, events: HistoryEvent[]): Partial<FailedStep> {
  const started = events
    .map((event) => event.activityTaskStartedEventAttributes)
    .find((attributes) => attributes && Number(attributes.scheduledEventId) === eventId);
  return started?.attempt ? { attempts: started.attempt } : {};
}

function outerOf(step: Failure): Partial<FailedStep> {
  const child = step.childWorkflowExecutionFailureInfo;
  const operation = step.nexusOperationExecutionFailureInfo;
  if (child) {
    const workflowId = child.workflowExecution?.workflowId ?? 'unknown';
    return { childWorkflow: { workflowType: child.workflowType?.name ?? 'unknown', workflowId } };
  }
  return operation
    ? { nexusOperation: { service: operation.service || 'unknown', operation: operation.operation || 'unknown' } }
    : {};
}

function reasonOf(failure: Failure): StepFailure {
  const message = failure.message ?? '';
  const timeout = failure.timeoutFailureInfo?.timeoutType;
  if (timeout) return { type: nameIn(TimeoutType, timeout).replace('TIMEOUT_TYPE_', 'TIMEOUT_'), message };
  return { type: failure.applicationFailureInfo?.type || kindOf(failure), message, ...encodedOf(failure) };
}

/** A failure converter that encodes texts puts them into `encodedAttributes`, and a placeholder into the message. */
function encodedOf({ encodedAttributes }: Failure): Pick<StepFailure, 'encoded'> {
  if (!encodedAttributes) return {};
  const bytes = Payload.encode(encodedAttributes).finish();
  return bytes.length > LONGEST_ENCODED ? {} : { encoded: Buffer.from(bytes).toString('base64') };
}

function kindOf(failure: Failure): string {
  if (failure.canceledFailureInfo) return 'CANCELED';
  if (failure.terminatedFailureInfo) return 'TERMINATED';
  if (failure.childWorkflowExecutionFailureInfo) return 'CHILD_WORKFLOW';
  if (failure.nexusOperationExecutionFailureInfo) return 'NEXUS_OPERATION';
  return 'FAILURE';
}
