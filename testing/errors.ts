/** The clock of a test environment only goes forward. */
export class TimeGoesForwardError extends RangeError {
  override readonly name = 'TimeGoesForwardError';
}

/** A schedule is due and nothing would run its workflow: no worker of the environment, no double. */
export class NobodyToRunError extends Error {
  override readonly name = 'NobodyToRunError';
  constructor(
    /** The schedule that is due. */
    readonly scheduleId: string,
    /** Name of its workflow. */
    readonly workflowType: string,
    /** Task queue that nobody polls. */
    readonly taskQueue: string,
    /** What to do about it. */
    hint: string,
  ) {
    super(
      `schedule '${scheduleId}' fires workflow '${workflowType}' on task queue '${taskQueue}', where nobody runs it; ${hint}`,
    );
  }
}

/** A schedule would fire more often in the stretch than a test can wait for. */
export class TooManyFiringsError extends RangeError {
  override readonly name = 'TooManyFiringsError';
  constructor(
    /** The schedule that would fire. */
    readonly scheduleId: string,
    /** How often it would. */
    readonly count: number,
  ) {
    super(
      `schedule '${scheduleId}' would fire ${count.toLocaleString('en')} times in this stretch; advance by at most ${FIRINGS_AT_MOST.toLocaleString('en')} firings of a schedule at once`,
    );
  }
}

/** Firings of one schedule that one stretch may hold. */
export const FIRINGS_AT_MOST = 100_000;

/** A workflow type has one double. */
export class DoubleTakenError extends Error {
  override readonly name = 'DoubleTakenError';
}

/** A fault that there is not, or that has nothing to act on. */
export class UnknownFaultError extends Error {
  override readonly name = 'UnknownFaultError';
}

/** A real workflow cannot go on: its workflow task fails, such as for a type that the worker does not know. */
export class WorkflowTaskFailedError extends Error {
  override readonly name = 'WorkflowTaskFailedError';
}

/** Nothing moves on: some workflow or activity keeps the server's time from being skipped, or a pass never gets done. */
export class StandstillError extends Error {
  override readonly name = 'StandstillError';
}

/** The environment is gone. */
export class TornDownError extends Error {
  override readonly name = 'TornDownError';
}

/** A package that this use of the kit needs is not installed. */
export class MissingPackageError extends Error {
  override readonly name = 'MissingPackageError';
}
