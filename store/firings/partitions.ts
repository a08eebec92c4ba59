import { sql } from 'kysely';
import type { Store } from '../connection';

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
  if (store.joined) return ensureOutside(store, store.joined.outside, [...instants]);
  for (const instant of instants) {
    const ensure = sql.id(store.schema, 'ensure_partition');
    await sql`select ${ensure}(${instant}::timestamptz, ${allowRetired}::boolean)`.execute(store.db);
  }
}

/** One instant of each month, by UTC, that instants lie in. */
export function oneOfEachMonth(instants: Date[]): Iterable<Date> {
  return new Map(instants.map((instant) => [monthOf(instant), instant])).values();
}

/**
 * Make months on a connection of our own. To make one takes a lock until the transaction ends. In the caller's transaction, which
 * may stay open for long, it would keep everybody else from making one.
 */
async function ensureOutside(joined: Store, outside: Store, instants: Date[]): Promise<void> {
  for (const instant of instants) {
    const partition = `${joined.schema}.firings_${monthOf(instant).replace('-', '')}`;
    const { rows } = await sql`select 1 as there where to_regclass(${partition}) is not null`.execute(joined.db);
    if (rows.length === 0) await ensurePartitions(outside, [instant]);
  }
}

/** Name of the month that an instant's firing lies in, by UTC. */
export function monthOf(instant: Date): string {
  return instant.toISOString().slice(0, 7);
}
