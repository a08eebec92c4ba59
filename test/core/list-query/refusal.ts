import { InvalidQueryError } from '../../../core/list-query/error';
import { resolveQuery } from '../../../core/list-query/resolve';

/** Where a list filter is refused, and why. The test fails if it is not refused. */
export function refusal(query: string): { position: number; problem: string } {
  try {
    resolveQuery(query);
  } catch (error) {
    if (!(error instanceof InvalidQueryError)) throw error;
    const { position, problem } = error;
    return { position, problem: problem.replace(`character ${position}: `, '') };
  }
  throw new Error(`accepted ${query}`);
}
