import { PostgresUnreachableError } from '../../core/errors';

/**
 * Carry out parts of the upkeep. If a part fails, the others are carried out, unless Postgres cannot be reached: each
 * would wait for it again.
 *
 * @throws the error of the first part that failed
 */
export async function each(parts: (() => Promise<unknown>)[], stopping: AbortSignal): Promise<void> {
  const failures: unknown[] = [];
  for (const part of parts) {
    if (stopping.aborted || failures.at(-1) instanceof PostgresUnreachableError) break;
    await part().catch((error) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
