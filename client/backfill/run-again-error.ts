/** Why an occurrence cannot be run again. */
export type RunAgainProblem =
  | 'not_an_occurrence'
  | 'not_yet'
  | 'under_way'
  | 'needs_confirmation'
  | 'retired'
  | 'spec_error';

/** A time that cannot be run again, or only after a confirmation; nothing was changed. */
export class RunAgainError extends Error {
  override readonly name = 'RunAgainError';
  constructor(
    /** The schedule that was named. */
    readonly scheduleId: string,
    /** The time that was named. */
    readonly time: Date,
    /** Why not. */
    readonly problem: RunAgainProblem,
    message: string,
  ) {
    super(message);
  }
}
