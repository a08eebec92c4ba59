import { sql } from 'kysely';
import type { Store } from '../connection';
import { FORGOTTEN_AT_ONCE } from '../firings/forget';

const OLD_BY = {
  alerts: 'resolved_at',
  alert_messages: 'created_at',
  alert_silences: 'until',
  api_requests: 'created_at',
  api_audit: 'at',
} as const;

/**
 * Delete a batch of a table's rows that are older than an instant by their column in `OLD_BY`. An old message is
 * deleted even if it was never delivered. Rows without the instant stay, such as open alerts. Returns how many rows
 * were deleted.
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

/** A statement deletes no further bulk operation once those before it have this many schedules. */
const SCHEDULES_AT_ONCE = 50_000;

/**
 * Delete a batch of bulk operations that ended before an instant, the first ended ones first. Postgres deletes their
 * rows of `bulk_schedules` in the same statement, so many schedules make a batch small. An operation of several million
 * may take longer than a statement may. Returns how many operations were deleted.
 */
export async function deleteOldOperations(store: Store, before: Date): Promise<number> {
  const table = store.table('bulk_operations');
  const { numAffectedRows = 0n } = await sql`delete from ${table} where operation_id = any (array(
    select operation_id from (
      select operation_id, sum(total) over (order by ended_at, operation_id) - total as of_former from (
        select operation_id, ended_at, total from ${table} where ended_at < ${before}
        order by ended_at limit ${FORGOTTEN_AT_ONCE} for update skip locked) o) o
    where of_former < ${SCHEDULES_AT_ONCE}))`.execute(store.db);
  return Number(numAffectedRows);
}
