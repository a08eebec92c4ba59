/** The clock of a test environment only goes forward. */
export class TimeGoesForwardError extends RangeError {
  override readonly name = 'TimeGoesForwardError';
}

/** A schedule may fire, but nothing would run its workflow: no double plays it, and no worker polls its task queue. */
export class NobodyToRunError extends Error {
  override readonly name = 'NobodyToRunError';
  constructor(
    /** ID of the schedule that is due. */
    readonly scheduleId: string,
    /** The workflow type of the schedule. */
    readonly workflowType: string,
    /** Task queue that no worker polls. */
    readonly taskQueue: string,
    /** What to do about the problem. */
    hint: string,
  ) {
    super(
      `schedule '${scheduleId}' fires workflow '${workflowType}' on task queue '${taskQueue}', where nobody runs it; ${hint}`,
    );
  }
}

/** A schedule has more than 100,000 occurrences in one stretch of virtual time. */
export class TooManyFiringsError extends RangeError {
  override readonly name = 'TooManyFiringsError';
  constructor(
    /** ID of the schedule. */
    readonly scheduleId: string,
    /** How often the schedule would fire. */
    readonly count: number,
  ) {
    super(
      `schedule '${scheduleId}' would fire ${count.toLocaleString('en')} times in this stretch; advance by at most ${FIRINGS_AT_MOST.toLocaleString('en')} firings of a schedule at once`,
    );
  }
}

/** Maximum number of firings of one schedule in one stretch. */
export const FIRINGS_AT_MOST = 100_000;

/** The workflow type already has a double: a simulated workflow. */
export class DoubleTakenError extends Error {
  override readonly name = 'DoubleTakenError';
}

/** The requested fault does not exist, or the environment has nothing to which it could apply. */
export class UnknownFaultError extends Error {
  override readonly name = 'UnknownFaultError';
}

/**
 * A real workflow cannot continue, because its workflow task fails, such as for a type that the worker does not know.
 */
export class WorkflowTaskFailedError extends Error {
  override readonly name = 'WorkflowTaskFailedError';
}

/**
 * Time cannot advance: a workflow or activity hangs, another transaction keeps a due schedule locked, or one instant
 * needs over 10,000 passes.
 */
export class StandstillError extends Error {
  override readonly name = 'StandstillError';
}

/** The environment was torn down. */
export class TornDownError extends Error {
  override readonly name = 'TornDownError';
}

/** This use of the testing kit needs a package that is not installed. */
export class MissingPackageError extends Error {
  override readonly name = 'MissingPackageError';
}
