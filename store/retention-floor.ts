import { sql } from 'kysely';
import type { Store } from './connection';

/** Months that end before or at this instant are retired: their firings are gone. Undefined while none is. */
export async function readRetentionFloor(store: Store): Promise<Date | undefined> {
  const { rows } = await sql<{ floor: Date }>`
    select (value #>> '{}')::timestamptz as floor from ${store.table('meta')} where key = 'retention_floor'`.execute(
    store.db,
  );
  return rows[0]?.floor;
}
