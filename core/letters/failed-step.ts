import type { EncodedPayload } from '../definition/definition';

/** A step or a chain that failed permanently: only names and counts. Arguments and results stay in Temporal. */
export interface FailedStep {
  /**
   * The run whose history contains the failure; `eventId` refers to this history. Absent in letters of older versions.
   */
  runId?: string;
  /** The event with which that run scheduled the step; absent for a local activity. */
  eventId?: number;
  /**
   * Type of the activity that exhausted its retries, even if it belongs to a child workflow; undefined if the workflow
   * failed by itself.
   */
  activityType?: string;
  /** ID of that activity in the run, or the child, that scheduled it. */
  activityId?: string;
  /** Number of attempts, if the history of the run has it. */
  attempts?: number;
  /** Why the step was not retried, such as `MAXIMUM_ATTEMPTS_REACHED` or `NON_RETRYABLE_FAILURE`. */
  retryState?: string;
  /** The child workflow that failed, if the failure came from one. */
  childWorkflow?: {
    /** Its type. */
    workflowType: string;
    /** Its workflow ID. */
    workflowId: string;
  };
  /** The Nexus operation that failed, if the failure came from one. */
  nexusOperation?: {
    /** Name of the service. */
    service: string;
    /** Name of the operation. */
    operation: string;
  };
  /** The innermost failure. */
  failure: StepFailure;
}

/** The failure of a step, as the failure converter and codec of its worker encoded it. */
export interface StepFailure {
  /** Type of the innermost failure, such as that of an `ApplicationFailure`; `TIMEOUT` for a time limit. */
  type: string;
  /** Message, at most 1,000 characters; `Encoded failure` if the converter encodes texts. */
  message: string;
  /** The encoded text, for a client with the codec. */
  encoded?: EncodedPayload;
}

/** A parked step, which waits in its running workflow. */
export interface ParkedStep extends FailedStep {
  activityType: string;
  retryState: string;
  /**
   * The number of this parked step in its run. The number ensures that a decision about an earlier step is not applied
   * to this one.
   */
  burial: number;
  /** The first run before any reset. The first run identifies the letter if a reset runs the step again. */
  originalRunId?: string;
  /** Since when it waits, ISO 8601. Absent in letters of older versions. */
  failedAt?: string;
}

/** Maximum number of characters of a failure's message. */
export const LONGEST_FAILURE_MESSAGE = 1_000;

/**
 * Display name of the step: the failed child or operation, or the activity; undefined if the workflow failed by itself.
 */
export function stepNameOf({ activityType, childWorkflow, nexusOperation }: FailedStep): string | undefined {
  return activityType ?? childWorkflow?.workflowType ?? nexusOperation?.operation;
}

/**
 * Whether two steps are the same failure. Activity IDs start from 1 in each run and each child, or are chosen by the
 * user, so the event in the run decides.
 *
 * @param runIds further runs to which a reset has carried the step
 */
export function isSameFailure(one: FailedStep, other: FailedStep, runIds: readonly string[] = []): boolean {
  if (one.runId === undefined || other.runId === undefined) return false;
  if (one.runId !== other.runId && !runIds.includes(other.runId)) return false;
  const names = (step: FailedStep) => [step.activityType, step.activityId, step.childWorkflow?.workflowId];
  if (names(one).join('\n') !== names(other).join('\n')) return false;
  return one.eventId === other.eventId || one.eventId === undefined || other.eventId === undefined;
}
