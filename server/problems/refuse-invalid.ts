import type { Problem } from '../../core/options';
import { invalid, ProblemError } from './problem';

/** @throws {ProblemError} with all problems, if there are any */
export function refuseInvalid(problems: Problem[]): void {
  if (problems.length === 0) return;
  throw new ProblemError(invalid(problems.map(({ path, problem }) => ({ path, message: problem }))));
}
