/** The reason why one schedule is not moved. The move of other schedules continues. */
export class MovingProblem extends Error {
  override readonly name = 'MovingProblem';
}

/** Another call has moved the schedule since this call has read how far it is. */
export class MovedMeanwhile extends MovingProblem {
  /** @param hint more words, for its end */
  constructor(hint = '') {
    super(`another call has moved it meanwhile${hint}`);
  }
}
