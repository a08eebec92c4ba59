import { UnknownDefinitionError } from '../core/definition/stored-definition';

/** The reason why one schedule is not moved. The move of other schedules continues. */
export class MovingProblem extends Error {
  override readonly name = 'MovingProblem';
}

export class MovedMeanwhile extends MovingProblem {
  constructor(hint = '') {
    super(`another call has moved it meanwhile${hint}`);
  }
}

/**
 * The reason for a schedule in a newer form. After a cut-over it would fire nowhere, since triggers of this version do
 * not take it.
 */
export const NEWER_FORM =
  'it is in a form of a newer program here: do this with that program, or delete it here and import it again';

/** @param problem why this version cannot use a stored definition */
export function unusable(problem: Error): MovingProblem {
  const [what] = problem.message.split(';');
  const advice = problem instanceof UnknownDefinitionError ? 'use a newer version of Escapement' : 'update it first';
  return new MovingProblem(`${what}; ${advice}`);
}
