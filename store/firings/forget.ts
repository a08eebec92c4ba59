import { sql } from 'kysely';
import { isNotRestored } from '../archive/restored';
import type { Store } from '../connection';

export const FORGOTTEN_AT_ONCE = 1_000;

export type ForgottenTable =
  | 'firing_counts'
  | 'gaps'
  | 'dead_letters'
  | 'leases'
  | 'alert_messages'
  | 'alert_silences'
  | 'alerts'
  | 'api_requests'
  | 'api_audit'
  | 'bulk_operations';

/** A role with an older release's grants may lack the rights to delete old rows of some tables. */
export async function readDeletable(store: Store, tables: ForgottenTable[]): Promise<ForgottenTable[]> {
  const { rows } = await sql<{ name: ForgottenTable }>`
    select x.name from unnest(${tables}::text[]) with ordinality as x (name, place)
      join pg_class c on c.relname = x.name join pg_namespace n on n.oid = c.relnamespace and n.nspname = ${store.schema}
    where has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'update')
      and has_table_privilege(c.oid, 'delete')
    order by x.place`.execute(store.db);
  return rows.map(({ name }) => name);
}

/**
 * Delete a batch of gaps that ended, and were recorded, before an instant, the first recorded ones first. Gaps that
 * another transaction is changing stay, and so do those that a restore may have brought back. The missed occurrences of
 * deleted gaps stay in the counts; for a gap that was never counted, all of its occurrences do. Returns how many gaps
 * were deleted.
 */
export async function deleteGaps(store: Store, before: Date): Promise<number> {
  const gaps = store.table('gaps');
  const { rows } = await sql<{ deleted: number }>`
    with gone as (
      delete from ${gaps} where ctid = any (array(
        select ctid from ${gaps} where recorded_at < ${before} and to_time < ${before} and ${isNotRestored(store, 'from_time')}
        order by recorded_at limit ${FORGOTTEN_AT_ONCE} for update skip locked))
      returning schedule_id, from_time, coalesce(missed, count) as missed),
    kept as (
      insert into ${store.table('firing_counts')} (day, tenant, missed)
      select (from_time at time zone 'UTC')::date, coalesce(s.tenant, ''), sum(missed)
      from gone left join ${store.table('schedules')} s using (schedule_id) group by 1, 2)
    select count(*)::int as deleted from gone`.execute(store.db);
  return rows[0]!.deleted;
}

/**
 * Delete a batch of settled letters that have not changed since `before` and whose firings lie before `floor`. Letters
 * that a restore may have brought back stay. Returns how many letters were deleted.
 */
export async function deleteSettledLetters(
  store: Store,
  { floor, before }: { floor: Date; before: Date },
): Promise<number> {
  const letters = store.table('dead_letters');
  // `created_at` is not later than `updated_at`, except for small differences between clocks. The condition on
  // `created_at` lets Postgres use the index on `created_at` and the state.
  const { numAffectedRows = 0n } = await sql`delete from ${letters} where letter_id in (
      select letter_id from ${letters} where state in ('resolved', 'discarded') and created_at < ${before}
        and updated_at < ${before} and scheduled_time < ${floor}
        and ${isNotRestored(store, 'scheduled_time')} limit ${FORGOTTEN_AT_ONCE} for update skip locked)
      and state in ('resolved', 'discarded')`.execute(store.db);
  return Number(numAffectedRows);
}

/**
 * Delete a batch of leases that ended more than a day ago. The next token of the resource is still greater, since a
 * token is at least the clock's time. Returns how many leases were deleted.
 */
export async function deleteEndedLeases(store: Store): Promise<number> {
  const leases = store.table('leases');
  const { numAffectedRows = 0n } = await sql`delete from ${leases} where resource in (
      select resource from ${leases} where expires_at < clock_timestamp() - interval '1 day'
      limit ${FORGOTTEN_AT_ONCE} for update skip locked)
      and expires_at < clock_timestamp() - interval '1 day'`.execute(store.db);
  return Number(numAffectedRows);
}
