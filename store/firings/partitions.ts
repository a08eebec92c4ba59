import { sql } from 'kysely';
import type { Store } from '../connection';

/**
 * Create the missing partitions of the months of these instants. Creating a partition waits for no reader.
 *
 * @param options.allowRetired create a retired month again, for a firing that certainly does not fire twice, or that a
 * person lets fire again; a later sweep retires the month again
 * @throws for a retired month an error that `isMonthRetired` recognizes
 */
export async function ensurePartitions(
  store: Store,
  instants: Iterable<Date>,
  options: { allowRetired?: boolean } = {},
): Promise<void> {
  if (store.joined) return ensureOutside(store, store.joined.outside, [...instants], options);
  const { allowRetired = false } = options;
  for (const instant of instants) {
    const ensure = sql.id(store.schema, 'ensure_partition');
    await sql`select ${ensure}(${instant}::timestamptz, ${allowRetired}::boolean)`.execute(store.db);
  }
}

export function oneOfEachMonth(instants: Date[]): Iterable<Date> {
  return new Map(instants.map((instant) => [monthOf(instant), instant])).values();
}

/**
 * Create the partitions of months on a separate connection. Creating a partition takes a lock that lasts until the
 * transaction ends. In the caller's transaction, which may stay open for long, that lock would keep all other programs
 * from creating months.
 */
async function ensureOutside(
  joined: Store,
  outside: Store,
  instants: Date[],
  options: { allowRetired?: boolean },
): Promise<void> {
  for (const instant of instants) {
    const { rows } =
      await sql`select 1 as there where to_regclass(${partitionOf(joined, instant)}) is not null`.execute(joined.db);
    if (rows.length === 0) await ensurePartitions(outside, [instant], options);
  }
}

/** The name of the partition that holds the firings of an instant's month, with its schema. */
export function partitionOf(store: Store, instant: Date): string {
  return `${store.schema}.firings_${monthOf(instant).replace('-', '')}`;
}

/** The month of an instant in UTC, such as `2026-01`. */
export function monthOf(instant: Date): string {
  return instant.toISOString().slice(0, 7);
}
