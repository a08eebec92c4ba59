/** Why an occurrence cannot be run again. */
export type RunAgainProblem =
  | 'not_an_occurrence'
  | 'not_yet'
  | 'under_way'
  | 'needs_confirmation'
  | 'retired'
  | 'spec_error';

/** This time cannot be run again, or only with `confirm`. Nothing was changed. */
export class RunAgainError extends Error {
  override readonly name = 'RunAgainError';
  constructor(
    /** ID of the schedule. */
    readonly scheduleId: string,
    /** The nominal time that was given. */
    readonly time: Date,
    /** Why the time cannot be run again. */
    readonly problem: RunAgainProblem,
    message: string,
  ) {
    super(message);
  }
}
