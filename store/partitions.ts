import { sql } from 'kysely';
import type { Store } from './connection';

/**
 * Make the months that hold these instants, each in a moment and without waiting for readers.
 *
 * @param options.allowRetired make a retired month again, for a firing that is known not to double; it is retired again
 *   by a later sweep
 * @throws an error that `isMonthRetired` knows, for a retired month
 */
export async function ensurePartitions(
  store: Store,
  instants: Iterable<Date>,
  { allowRetired = false }: { allowRetired?: boolean } = {},
): Promise<void> {
  for (const instant of instants) {
    const ensure = sql.id(store.schema, 'ensure_partition');
    await sql`select ${ensure}(${instant}::timestamptz, ${allowRetired}::boolean)`.execute(store.db);
  }
}

/** One instant of each month, by UTC, that instants lie in. */
export function oneOfEachMonth(instants: Date[]): Iterable<Date> {
  return new Map(instants.map((instant) => [monthOf(instant), instant])).values();
}

/** Name of the month that an instant's firing lies in, by UTC. */
export function monthOf(instant: Date): string {
  return instant.toISOString().slice(0, 7);
}
