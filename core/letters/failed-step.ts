import type { EncodedPayload } from '../definition/definition';

/** A step that failed for good, or a chain that did. Names and counts; no arguments and no results: those stay in Temporal. */
export interface FailedStep {
  /** The run in whose history the failure lies; the step's number in it is `eventId`. Absent of what an older version wrote. */
  runId?: string;
  /** The event by which that run scheduled the step; absent of a local activity. */
  eventId?: number;
  /** Type of the activity that exhausted its retries, also where it lies in a child workflow; undefined where the workflow failed by itself. */
  activityType?: string;
  /** ID of that activity, in the run or the child that scheduled it. */
  activityId?: string;
  /** How often the activity was tried, where the history of the run says. */
  attempts?: number;
  /** Why it was not tried again, such as `MAXIMUM_ATTEMPTS_REACHED` or `NON_RETRYABLE_FAILURE`. */
  retryState?: string;
  /** The child workflow that failed, if the failure came out of one. */
  childWorkflow?: {
    /** Its type. */
    workflowType: string;
    /** Its workflow ID. */
    workflowId: string;
  };
  /** The Nexus operation that failed, if the failure came out of one. */
  nexusOperation?: {
    /** Name of the service. */
    service: string;
    /** Name of the operation. */
    operation: string;
  };
  /** The innermost failure. */
  failure: StepFailure;
}

/** What a step failed with, as the failure converter and the codec of its worker left it. */
export interface StepFailure {
  /** Type of the innermost failure, such as an `ApplicationFailure`'s; `TIMEOUT` of a time limit. */
  type: string;
  /** What it says, at most 1,000 characters; `Encoded failure` where the converter encodes texts. */
  message: string;
  /** The encoded text, for a client that has the codec. */
  encoded?: EncodedPayload;
}

/** A step that waits in its running workflow. */
export interface ParkedStep extends FailedStep {
  activityType: string;
  retryState: string;
  /** The number of this parked step in its run, so that a decision about an earlier one is never taken for this one. */
  burial: number;
  /** The run before any reset: by it a step that a reset runs again keeps its letter. */
  originalRunId?: string;
  /** Since when it waits, ISO 8601. Absent of what an older version wrote. */
  failedAt?: string;
}

/** Characters of a failure's message that are kept. */
export const LONGEST_FAILURE_MESSAGE = 1_000;

/** What a person calls the step: the child or the operation that failed, or the activity; undefined where the workflow failed by itself. */
export function stepNameOf({ activityType, childWorkflow, nexusOperation }: FailedStep): string | undefined {
  return activityType ?? childWorkflow?.workflowType ?? nexusOperation?.operation;
}

/**
 * Whether both are of one failure. Activity IDs count from 1 in each run and in each child, and may be the user's own: the
 * event in the run decides.
 *
 * @param runIds further runs to which a reset took the one along
 */
export function isSameFailure(one: FailedStep, other: FailedStep, runIds: readonly string[] = []): boolean {
  if (one.runId === undefined || other.runId === undefined) return false;
  if (one.runId !== other.runId && !runIds.includes(other.runId)) return false;
  const names = (step: FailedStep) => [step.activityType, step.activityId, step.childWorkflow?.workflowId];
  if (names(one).join('\n') !== names(other).join('\n')) return false;
  return one.eventId === other.eventId || one.eventId === undefined || other.eventId === undefined;
}
