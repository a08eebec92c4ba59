import { InvalidOptionError } from '../errors';

/** A list filter cannot be parsed. Nothing was listed, since the filter is invalid. */
export class InvalidQueryError extends InvalidOptionError {
  override readonly name = 'InvalidQueryError';
  constructor(
    /** The whole text of the filter. */
    readonly query: string,
    /** The position of the error in the filter; the first character is 1. */
    readonly position: number,
    problem: string,
  ) {
    super('query', `character ${position}: ${problem}`);
  }
}
