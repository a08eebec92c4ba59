/** Why one schedule is left where it is. The others go on. */
export class MovingProblem extends Error {
  override readonly name = 'MovingProblem';
}
