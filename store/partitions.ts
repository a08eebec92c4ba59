import { sql } from 'kysely';
import type { Store } from './connection';

/** Make the months that hold these instants, each in a moment and without waiting for readers. */
export async function ensurePartitions(store: Store, instants: Iterable<Date>): Promise<void> {
  for (const instant of instants) {
    await sql`select ${sql.id(store.schema, 'ensure_partition')}(${instant}::timestamptz)`.execute(store.db);
  }
}

/** Name of the month that an instant's firing lies in, by UTC. */
export function monthOf(instant: Date): string {
  return instant.toISOString().slice(0, 7);
}
