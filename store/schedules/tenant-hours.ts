import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../connection';
import { hourOf } from './tenants';

export interface HourLeft {
  tenant: string;
  left: number;
}

/**
 * How many firings these tenants have left in this hour. The rows that count the firings stay locked until this
 * transaction ends. A tenant without a quota is left out. A tenant whose row another transaction has locked is left out
 * too, since the process of that transaction may be frozen.
 */
export async function lockHours(transaction: Store, tenants: string[], now: Date): Promise<HourLeft[]> {
  const { rows } = await sql<HourLeft>`
    select q.tenant, greatest(0, q.firings_per_hour - case when u.hour >= ${hourOf(now)} then u.firings else 0 end) as left
    from ${transaction.table('tenants')} q join ${transaction.table('tenant_hours')} u using (tenant)
    where q.tenant = any(${tenants}::text[]) and q.firings_per_hour is not null
    order by q.tenant for no key update of u skip locked`.execute(transaction.db);
  return rows;
}

/** Add the claims to the tenants' counts, in the transaction that makes the claims and has locked the rows. */
export async function countHours(transaction: Store, claimed: Map<string, number>, now: Date): Promise<void> {
  if (claimed.size === 0) return;
  const hour = hourOf(now);
  // If the clocks of hosts disagree, the count never goes back to an hour that is over.
  await sql`
    update ${transaction.table('tenant_hours')} u set hour = greatest(u.hour, ${hour}),
      firings = x.firings + case when u.hour >= ${hour} then u.firings else 0 end
    from unnest(${[...claimed.keys()]}::text[], ${[...claimed.values()]}::int[]) as x (tenant, firings)
    where u.tenant = x.tenant`.execute(transaction.db);
}

export interface HourUsedUp {
  tenant: string;
  firingsPerHour: number;
  nextHourAt: Date;
}

export async function readHourUsedUp(
  store: Store,
  scheduleId: string,
  now: Date | undefined,
): Promise<HourUsedUp | undefined> {
  const { rows } = await sql<HourUsedUp>`
    select q.tenant, q.firings_per_hour as "firingsPerHour", ${hourOf(now)} + interval '1 hour' as "nextHourAt"
    from ${store.table('schedules')} s join ${store.table('tenants')} q using (tenant)
    left join ${store.table('tenant_hours')} u using (tenant)
    where s.schedule_id = ${scheduleId} and (q.firings_per_hour = 0
      or (u.hour >= ${hourOf(now)} and u.firings >= q.firings_per_hour))`.execute(store.db);
  return rows[0];
}

/** The time at which a schedule that its tenant's quota delays is woken; undefined if the quota does not delay it. */
export async function readDelay(store: Store, scheduleId: string, now: Date | undefined): Promise<Date | undefined> {
  const usedUp = await readHourUsedUp(store, scheduleId, now);
  if (!usedUp) return undefined;
  const { rows } = await sql`select 1 as one from ${store.table('timers')}
    where schedule_id = ${scheduleId} and wake_at = ${usedUp.nextHourAt}
      and (next_fire_at < wake_at or exists (select from ${store.table('firings')} f
        where f.schedule_id = ${scheduleId} and f.state = 'buffered'))`.execute(store.db);
  return rows.length > 0 ? usedUp.nextHourAt : undefined;
}

/**
 * Make the schedules of a tenant that wake exactly at the next hour due for a claim now. Schedules that wait for the
 * tenant's quota wake at the next hour. A schedule that another transaction has locked is woken after the commit; if the
 * lock is kept, it wakes at the next hour.
 */
export async function wakeDelayed(transaction: Store, tenant: string, now: Date | undefined): Promise<void> {
  await wake(transaction, tenant, now, sql`skip locked`);
  transaction.afterCommit?.push(async (next) => {
    await wake(next, tenant, now, sql``);
    return false;
  });
}

async function wake(
  transaction: Store,
  tenant: string,
  now: Date | undefined,
  ifLocked: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    with at as materialized (
      select coalesce(${now ?? null}::timestamptz, clock_timestamp()) as now, ${hourOf(now)} + interval '1 hour' as until),
    delayed as materialized (
      select t.schedule_id, at.now from at join ${transaction.table('timers')} t on t.wake_at = at.until
      where exists (
        select from ${transaction.table('schedules')} s where s.schedule_id = t.schedule_id and s.tenant = ${tenant})
      order by t.schedule_id for no key update of t ${ifLocked})
    update ${transaction.table('timers')} t set wake_at = d.now, seq = t.seq + 1
    from delayed d where t.schedule_id = d.schedule_id`.execute(transaction.db);
}
