import { sql } from 'kysely';
import type { ScheduleDefinition } from '../../core/definition/definition';
import type { Store } from '../connection';
import { skipWaiting } from '../firings/skip-waiting';
import { LABELS, type StoredLabels } from './labels';
import { lockTimers } from './lock-timers';

/** A schedule as it is compared with a list of declared schedules; the schedule may be deleted. */
export interface DeclaredRow extends ScheduleDefinition, StoredLabels {
  scheduleId: string;
  version: number;
  tenant: string;
  deleted: boolean;
  /** The name, in the ledger, of the source that declares the schedule in code; null if no source declares it. */
  source: string | null;
  specError: string | null;
  args: Buffer | null;
}

/** The values that show whether a schedule has changed since it was read. */
export type DeclaredState = StoredLabels &
  Pick<DeclaredRow, 'scheduleId' | 'tenant' | 'version' | 'deleted' | 'source'>;

const STATE = sql`s.schedule_id as "scheduleId", s.tenant, s.version, s.deleted_at is not null as deleted, s.source,
  ${LABELS}`;

export async function readDeclared(store: Store, scheduleIds: string[]): Promise<DeclaredRow[]> {
  const { rows } = await sql<DeclaredRow>`
    select ${STATE}, s.spec_error as "specError", v.namespace, v.spec, v.action, v.policies, v.args
    from ${store.table('schedules')} s join ${store.table('schedule_versions')} v using (schedule_id, version)
    where s.schedule_id = any(${scheduleIds}::text[])`.execute(store.db);
  return rows;
}

export async function readOfSource(
  store: Store,
  source: string,
  tenant: string | undefined,
): Promise<{ scheduleId: string; tenant: string }[]> {
  const { rows } = await sql<{ scheduleId: string; tenant: string }>`
    select schedule_id as "scheduleId", tenant from ${store.table('schedules')}
    where source = ${source} and deleted_at is null and (${tenant ?? null}::text is null or tenant = ${tenant ?? null})
    order by schedule_id`.execute(store.db);
  return rows;
}

/** Schedules that do not exist are not in the map; deleted ones are. */
export async function lockDeclared(transaction: Store, scheduleIds: string[]): Promise<Map<string, DeclaredState>> {
  await lockTimers(
    transaction,
    scheduleIds.map((scheduleId) => ({ scheduleId })),
  );
  // This is a second statement, since the snapshot of the first one is older than its wait for the locks.
  const { rows } = await sql<DeclaredState>`select ${STATE} from ${transaction.table('schedules')} s
    where s.schedule_id = any(${scheduleIds}::text[])`.execute(transaction.db);
  return new Map(rows.map((row) => [row.scheduleId, row]));
}

export async function setSource(transaction: Store, scheduleIds: string[], source: string): Promise<void> {
  await sql`update ${transaction.table('schedules')} set source = ${source}
    where schedule_id = any(${scheduleIds}::text[]) and source is distinct from ${source}`.execute(transaction.db);
}

/** Live → deleted, for locked schedules that are no longer declared. The note of a pause stays. */
export async function pruneSchedules(
  transaction: Store,
  scheduleIds: string[],
  change: { now: Date | undefined; note: string },
): Promise<void> {
  await sql`
    with at as (select date_trunc('milliseconds', coalesce(${change.now ?? null}::timestamptz, clock_timestamp())) as now),
    deleted as (
      update ${transaction.table('schedules')} s set deleted_at = at.now, updated_at = at.now,
        note = case when s.paused then s.note else ${change.note} end
      from at where s.schedule_id = any(${scheduleIds}::text[]))
    update ${transaction.table('timers')} t set wake_at = at.now, next_fire_at = null, seq = seq + 1, spec_format = 1
    from at where t.schedule_id = any(${scheduleIds}::text[])`.execute(transaction.db);
  const now = sql`date_trunc('milliseconds', coalesce(${change.now ?? null}::timestamptz, clock_timestamp()))`;
  await skipWaiting(transaction, scheduleIds, now);
}
