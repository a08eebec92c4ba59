import { InvalidOptionError } from '../errors';

/** A list filter cannot be parsed. Nothing was listed. */
export class InvalidQueryError extends InvalidOptionError {
  override readonly name = 'InvalidQueryError';
  constructor(
    /** The whole filter. */
    readonly query: string,
    /** Position of the error; the first character is 1. */
    readonly position: number,
    problem: string,
  ) {
    super('query', `character ${position}: ${problem}`);
  }
}
