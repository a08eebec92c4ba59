/** Why one schedule is not moved. The others continue. */
export class MovingProblem extends Error {
  override readonly name = 'MovingProblem';
}
