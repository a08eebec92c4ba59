import { InvalidOptionError } from '../errors';

/** A list filter that cannot be read. Nothing was listed by it. */
export class InvalidQueryError extends InvalidOptionError {
  override readonly name = 'InvalidQueryError';
  constructor(
    /** The whole filter. */
    readonly query: string,
    /** Where it is wrong: the first character is 1. */
    readonly position: number,
    problem: string,
  ) {
    super('query', `character ${position}: ${problem}`);
  }
}
