import { InvalidOptionError } from '../errors';

/** A list filter is not valid. Nothing was listed or changed. */
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
