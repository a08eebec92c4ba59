import { sql } from 'kysely';
import type { Store } from '../connection';
import { FORGOTTEN_AT_ONCE } from '../firings/forget';

const OLD_BY = {
  alerts: 'resolved_at',
  alert_messages: 'created_at',
  alert_silences: 'until',
  api_requests: 'created_at',
  api_audit: 'at',
  bulk_operations: 'ended_at',
} as const;

/**
 * Delete a batch of a table's rows that are older than an instant by their column in `OLD_BY`. An old message is
 * deleted even if it was never delivered. Rows without the instant stay, such as a bulk operation that still runs.
 * Returns how many rows were deleted.
 */
export async function deleteOld(store: Store, name: keyof typeof OLD_BY, before: Date): Promise<number> {
  const table = store.table(name);
  const instant = sql.ref(OLD_BY[name]);
  const { numAffectedRows = 0n } = await sql`delete from ${table} where ctid = any (array(
    select ctid from ${table} where ${instant} < ${before} order by ${instant} limit ${FORGOTTEN_AT_ONCE} for update skip locked))`.execute(
    store.db,
  );
  return Number(numAffectedRows);
}
