import { sql } from 'kysely';
import type { Place, TenantLimits } from '../../core/tenant-limits';
import type { Store } from '../connection';
import { run } from '../transaction';

/** What an operator allows a tenant, and who set it last. */
export interface TenantRow extends TenantLimits {
  tenant: string;
  actor: string;
  updatedAt: Date;
}

/** A tenant's row beside what it has. */
export interface TenantUse extends TenantRow {
  /** Live schedules. */
  live: number;
  /** Claimed in the hour of the question. */
  firings: number;
}

const COLUMNS = sql`q.tenant, q.namespaces, q.task_queues as "taskQueues", q.schedules, q.firings_per_hour as "firingsPerHour",
  q.actor, q.updated_at as "updatedAt"`;

/** What these tenants are allowed; those without a row are allowed anything. */
export async function readTenants(store: Store, tenants: string[]): Promise<Map<string, TenantRow>> {
  const { rows } = await sql<TenantRow>`
    select ${COLUMNS} from ${store.table('tenants')} q where q.tenant = any(${tenants}::text[])`.execute(store.db);
  return new Map(rows.map((row) => [row.tenant, row]));
}

/**
 * How many live schedules a tenant may still get, with its row locked: two that ask at once cannot both be given the last.
 * Undefined where nothing limits it.
 */
export async function lockPlaces(
  transaction: Store,
  tenant: string,
): Promise<{ limit: number; live: number } | undefined> {
  const { rows } = await sql<{
    limit: number | null;
  }>`select q.schedules as "limit" from ${transaction.table('tenants')} q
    where q.tenant = ${tenant} for no key update`.execute(transaction.db);
  const limit = rows[0]?.limit ?? null;
  if (limit === null) return undefined;
  // A second statement: the first one's snapshot is from before the wait.
  const { rows: counted } = await sql<{ live: number }>`select count(*)::int as live
    from ${transaction.table('schedules')} where tenant = ${tenant} and deleted_at is null`.execute(transaction.db);
  return { limit, live: counted[0]!.live };
}

/** Write what a tenant is allowed: what is undefined stays as it is, or is not limited. */
export async function writeTenant(
  transaction: Store,
  tenant: string,
  limits: { [Name in keyof TenantLimits]?: TenantLimits[Name] | undefined },
  by: { actor: string; now: Date | undefined },
): Promise<void> {
  const { rows } = await sql<TenantRow>`select ${COLUMNS} from ${transaction.table('tenants')} q
    where q.tenant = ${tenant} for update`.execute(transaction.db);
  const next = (name: keyof TenantLimits) => (limits[name] === undefined ? (rows[0]?.[name] ?? null) : limits[name]);
  const updatedAt = sql`coalesce(${by.now ?? null}::timestamptz, clock_timestamp())`;
  await sql`
    insert into ${transaction.table('tenants')} as q
      (tenant, namespaces, task_queues, schedules, firings_per_hour, actor, updated_at)
    values (${tenant}, ${next('namespaces')}::text[], ${next('taskQueues')}::text[], ${next('schedules')}::int,
      ${next('firingsPerHour')}::int, ${by.actor}, ${updatedAt})
    on conflict (tenant) do update set namespaces = excluded.namespaces, task_queues = excluded.task_queues,
      schedules = excluded.schedules, firings_per_hour = excluded.firings_per_hour, actor = excluded.actor,
      updated_at = excluded.updated_at`.execute(transaction.db);
  await sql`insert into ${transaction.table('tenant_hours')} (tenant, hour, firings) values (${tenant}, 'epoch', 0)
    on conflict (tenant) do nothing`.execute(transaction.db);
}

/** Limit a tenant in nothing any more. False where nothing did. What it has used of this hour stays, for the next limit. */
export async function deleteTenant(store: Store, tenant: string): Promise<boolean> {
  const { rows } = await run(
    store,
    sql`delete from ${store.table('tenants')} where tenant = ${tenant} returning 1 as one`,
  );
  return rows.length > 0;
}

/** Tenants that are limited in anything, by name, or one of them. */
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

/** Where the live schedules of a tenant start their workflows, as far as its limits name what is allowed, by ID. */
export async function readPlaces(store: Store, tenant: string): Promise<(Place & { scheduleId: string })[]> {
  const { rows } = await sql<Place & { scheduleId: string }>`
    select s.schedule_id as "scheduleId", v.namespace, v.action ->> 'taskQueue' as "taskQueue"
    from ${store.table('schedules')} s join ${store.table('schedule_versions')} v using (schedule_id, version)
    where s.tenant = ${tenant} and s.deleted_at is null order by s.schedule_id`.execute(store.db);
  return rows;
}

/** The hour of the clock, in UTC, in which an instant lies. */
export function hourOf(now: Date | undefined) {
  return sql`date_trunc('hour', coalesce(${now ?? null}::timestamptz, clock_timestamp()), 'UTC')`;
}
