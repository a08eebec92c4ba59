/** Why a chain failed, and in which step. Names and counts only: payloads stay in Temporal. */
export interface FailedStep {
  /** Type of the activity that exhausted its retries; undefined where the workflow failed by itself. */
  activityType?: string;
  /** ID of that activity. */
  activityId?: string;
  /** How often the activity was tried, where the history still says. */
  attempts?: number;
  /** Why it was not tried again, such as `MAXIMUM_ATTEMPTS_REACHED` or `NON_RETRYABLE_FAILURE`. */
  retryState?: string;
  /** The innermost failure. */
  failure: {
    /** Type of the innermost failure, such as an `ApplicationFailure`'s; `TIMEOUT` of a time limit. */
    type: string;
    /** What it says. */
    message: string;
  };
}
