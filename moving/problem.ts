/** The reason why one schedule is not moved. The move of other schedules continues. */
export class MovingProblem extends Error {
  override readonly name = 'MovingProblem';
}

export class MovedMeanwhile extends MovingProblem {
  constructor(hint = '') {
    super(`another call has moved it meanwhile${hint}`);
  }
}
