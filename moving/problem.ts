/** The reason why one schedule is not moved. The move of other schedules continues. */
export class MovingProblem extends Error {
  override readonly name = 'MovingProblem';
}

export class MovedMeanwhile extends MovingProblem {
  constructor(hint = '') {
    super(`another call has moved it meanwhile${hint}`);
  }
}

/** Once cut over, such a schedule would fire nowhere: triggers of this version do not take it. */
export const NEWER_FORM =
  'it is in a form of a newer program here: do this with that program, or delete it here and import it again';
