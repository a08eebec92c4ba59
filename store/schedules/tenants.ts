import { sql } from 'kysely';
import type { Place, TenantLimits } from '../../core/tenant-limits';
import type { Store } from '../connection';
import { run } from '../transaction';

export interface TenantRow extends TenantLimits {
  tenant: string;
  actor: string;
  updatedAt: Date;
}

export interface TenantUse extends TenantRow {
  live: number;
  /** How many firings were claimed in the current hour, counted only while the tenant has a quota of firings. */
  firings: number;
}

const COLUMNS = sql`q.tenant, q.namespaces, q.task_queues as "taskQueues", q.schedules, q.firings_per_hour as "firingsPerHour",
  q.actor, q.updated_at as "updatedAt"`;

export async function readTenants(store: Store, tenants: string[]): Promise<Map<string, TenantRow>> {
  const { rows } = await sql<TenantRow>`
    select ${COLUMNS} from ${store.table('tenants')} q where q.tenant = any(${tenants}::text[])`.execute(store.db);
  return new Map(rows.map((row) => [row.tenant, row]));
}

/**
 * A tenant's limit of live schedules, how many it has, and how many of the given ones are among them; undefined if
 * there is no limit. The tenant's row is locked, so that two concurrent requests cannot both use the last free place.
 */
export async function lockPlaces(
  transaction: Store,
  tenant: string,
  scheduleIds: string[],
): Promise<{ limit: number; live: number; known: number } | undefined> {
  const { rows } = await sql<{
    limit: number | null;
  }>`select q.schedules as "limit" from ${transaction.table('tenants')} q
    where q.tenant = ${tenant} for no key update`.execute(transaction.db);
  const limit = rows[0]?.limit ?? null;
  if (limit === null) return undefined;
  // This is a second statement, since the snapshot of the first one is older than its wait for the lock.
  const { rows: counted } = await sql<{ live: number; known: number }>`select count(*)::int as live,
      (count(*) filter (where schedule_id = any(${scheduleIds}::text[])))::int as known
    from ${transaction.table('schedules')} where tenant = ${tenant} and deleted_at is null`.execute(transaction.db);
  return { limit, ...counted[0]! };
}

/** Write a tenant's limits: a limit that is undefined keeps its value, and null removes a limit. */
export async function writeTenant(
  transaction: Store,
  tenant: string,
  limits: { [Name in keyof TenantLimits]?: TenantLimits[Name] | undefined },
  by: { actor: string; now: Date | undefined },
): Promise<void> {
  const tenants = transaction.table('tenants');
  const updatedAt = sql`coalesce(${by.now ?? null}::timestamptz, clock_timestamp())`;
  // Two calls for a new tenant must lock the same row.
  await sql`insert into ${tenants} (tenant, actor, updated_at) values (${tenant}, ${by.actor}, ${updatedAt})
    on conflict (tenant) do nothing`.execute(transaction.db);
  const { rows } = await sql<TenantRow>`select ${COLUMNS} from ${tenants} q
    where q.tenant = ${tenant} for update`.execute(transaction.db);
  const next = (name: keyof TenantLimits) => (limits[name] === undefined ? rows[0]![name] : limits[name]);
  await sql`update ${tenants} set namespaces = ${next('namespaces')}::text[], task_queues = ${next('taskQueues')}::text[],
      schedules = ${next('schedules')}::int, firings_per_hour = ${next('firingsPerHour')}::int, actor = ${by.actor},
      updated_at = ${updatedAt} where tenant = ${tenant}`.execute(transaction.db);
  await sql`insert into ${transaction.table('tenant_hours')} (tenant, hour, firings) values (${tenant}, 'epoch', 0)
    on conflict (tenant) do nothing`.execute(transaction.db);
}

/** The count of the current hour stays, in case a new limit is set within the hour. */
export async function deleteTenant(store: Store, tenant: string): Promise<boolean> {
  const { rows } = await run(
    store,
    sql`delete from ${store.table('tenants')} where tenant = ${tenant} returning 1 as one`,
  );
  return rows.length > 0;
}

export async function readTenantUse(
  store: Store,
  { tenant, now }: { tenant: string | undefined; now: Date | undefined },
): Promise<TenantUse[]> {
  const { rows } = await sql<TenantUse>`
    select ${COLUMNS}, (select count(*)::int from ${store.table('schedules')} s
        where s.tenant = q.tenant and s.deleted_at is null) as live,
      case when u.hour = ${hourOf(now)} then u.firings else 0 end as firings
    from ${store.table('tenants')} q left join ${store.table('tenant_hours')} u using (tenant)
    where ${tenant === undefined ? sql`true` : sql`q.tenant = ${tenant}`} order by q.tenant`.execute(store.db);
  return rows;
}

export async function readPlaces(store: Store, tenant: string): Promise<(Place & { scheduleId: string })[]> {
  const { rows } = await sql<Place & { scheduleId: string }>`
    select s.schedule_id as "scheduleId", v.namespace, v.action ->> 'taskQueue' as "taskQueue"
    from ${store.table('schedules')} s join ${store.table('schedule_versions')} v using (schedule_id, version)
    where s.tenant = ${tenant} and s.deleted_at is null order by s.schedule_id`.execute(store.db);
  return rows;
}

export function hourOf(now: Date | undefined) {
  return sql`date_trunc('hour', coalesce(${now ?? null}::timestamptz, clock_timestamp()), 'UTC')`;
}
