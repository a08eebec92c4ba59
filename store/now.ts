import { sql } from 'kysely';
import type { Store } from './connection';

export async function readNow(store: Store): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select date_trunc('milliseconds', clock_timestamp()) as now`.execute(
    store.db,
  );
  return rows[0]!.now;
}
