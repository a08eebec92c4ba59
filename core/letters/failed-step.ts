import type { EncodedPayload } from '../definition/definition';

/**
 * A step or a chain that failed for good: names, numbers and the failure's text. The arguments and results of the step
 * stay in Temporal.
 */
export interface FailedStep {
  /**
   * The run whose history contains the failure; `eventId` refers to this history. The run ID is absent in letters of
   * older versions, and in answers to the query `escapementParked`.
   */
  runId?: string;
  /** The event of that run's history that scheduled the step; absent for a local activity, and if no step failed. */
  eventId?: number;
  /** The type of the activity that the failure names, even one of a child workflow; undefined if it names none. */
  activityType?: string;
  /** The ID of the activity, in the run or the child workflow that scheduled it. */
  activityId?: string;
  /** How many times the step was attempted, if the end of the run's history shows this. */
  attempts?: number;
  /** Why the activity was not retried, such as `MAXIMUM_ATTEMPTS_REACHED` or `NON_RETRYABLE_FAILURE`. */
  retryState?: string;
  /** The child workflow that failed, if the failure came from one. */
  childWorkflow?: {
    /** The workflow type of the child workflow. */
    workflowType: string;
    /** The workflow ID of the child workflow. */
    workflowId: string;
  };
  /** The Nexus operation of the workflow itself that failed, if one did. */
  nexusOperation?: {
    /** The name of the Nexus service. */
    service: string;
    /** The name of the Nexus operation. */
    operation: string;
  };
  /** The innermost failure of the step. */
  failure: StepFailure;
}

/** The failure of a step, as its worker's failure converter and codec encoded it. */
export interface StepFailure {
  /**
   * The type of the innermost failure, such as that of an `ApplicationFailure`; for a timeout, a word such as `TIMEOUT`
   * or `TIMEOUT_START_TO_CLOSE`.
   */
  type: string;
  /**
   * The message of the failure, at most 1,000 characters. `Encoded failure` if the converter encodes texts; empty if
   * the option `keepFailureTexts` is false.
   */
  message: string;
  /** The encoded text, for a client with the codec. */
  encoded?: EncodedPayload;
}

/** A parked step, which waits in its running workflow. */
export interface ParkedStep extends FailedStep {
  activityType: string;
  retryState: string;
  /**
   * The number of this step among those that the run has tried to park. The number makes sure that a decision about an
   * earlier parking is not applied to this one.
   */
  burial: number;
  /**
   * The run with which this history began: a reset copies the ID of that run into the new run. The step's letter is
   * found by this run ID if a reset runs the step again.
   */
  originalRunId?: string;
  /** The `activityId` of the step before any redrive; absent until the step is parked again. */
  firstActivityId?: string;
  /**
   * The run to which a resume by another letter has carried the step, which waits there again; absent without such a
   * resume. The step keeps the `runId` and `burial` of the run that parked it, since that run's history names them.
   */
  waitsIn?: string;
  /**
   * The decision that the step has received, so that it no longer waits in that run. After `continue`, the step runs
   * again in that run.
   */
  decided?: 'continue' | 'complete' | 'discard' | 'expire';
  /**
   * Since when the step waits, ISO 8601. The time is absent in letters of older versions, and in answers to the query
   * `escapementParked`.
   */
  failedAt?: string;
}

export const LONGEST_FAILURE_MESSAGE = 1_000;

/** Undefined if the workflow failed without a failed step. */
export function stepNameOf({ activityType, childWorkflow, nexusOperation }: FailedStep): string | undefined {
  return activityType ?? childWorkflow?.workflowType ?? nexusOperation?.operation;
}

/**
 * Whether two steps are the same failure. Activity IDs begin at 1 in each run and each child workflow, or the user
 * chooses them, so the history events are compared too.
 *
 * @param runIds further runs to which a reset has carried the step
 */
export function isSameFailure(one: FailedStep, other: FailedStep, runIds: readonly string[]): boolean {
  if (one.runId === undefined || other.runId === undefined) return false;
  if (one.runId !== other.runId && !runIds.includes(other.runId)) return false;
  const names = (step: FailedStep) => [step.activityType, step.activityId, step.childWorkflow?.workflowId];
  if (names(one).join('\n') !== names(other).join('\n')) return false;
  return one.eventId === other.eventId || one.eventId === undefined || other.eventId === undefined;
}
