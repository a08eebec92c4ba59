import { type RawBuilder, sql } from 'kysely';
import type { FreezeCatchUp } from '../../core/decisions/freeze';
import { advisoryKey, holdLock } from '../advisory-lock';
import type { Store } from '../connection';

/** A period in which the occurrences of some schedules are held back. */
export interface Freeze {
  /** The freeze's key, a UUID. */
  freezeId: string;
  /** The tenant whose schedules are frozen; null for all tenants. */
  tenant: string | null;
  /** The source whose declared schedules are frozen, under its name in the ledger; null for no such limit. */
  source: string | null;
  /** The list filter that selects the frozen schedules; null for no filter. */
  query: string | null;
  /** The IDs of the only schedules that are frozen; null for any. */
  scheduleIds: string[] | null;
  /** The start of the freeze: occurrences that should start at this time or later are held back. */
  from: Date;
  /** The planned end of the freeze: occurrences that should start at this time or later start normally. */
  to: Date;
  /** What happens to the held occurrences when the freeze ends. */
  catchUp: FreezeCatchUp;
  /** Why the freeze was made, in words for people. */
  note: string | null;
  /** Who requested the freeze. */
  actor: string;
  /** When the freeze was created. */
  createdAt: Date;
  /** When a person ended the freeze early; null if nobody did. */
  endedAt: Date | null;
  /** Who ended the freeze early; null if nobody did. */
  endedBy: string | null;
}

const FREEZE_COLUMNS = columnsWith(sql`f.schedule_ids`);

function columnsWith(scheduleIds: RawBuilder<unknown>): RawBuilder<Freeze> {
  return sql<Freeze>`f.freeze_id as "freezeId", f.tenant, f.source, f.query, ${scheduleIds} as "scheduleIds",
  f.from_time as "from", f.to_time as "to", f.catch_up as "catchUp", f.note, f.actor, f.created_at as "createdAt", f.ended_at as "endedAt", f.ended_by as "endedBy"`;
}

/** The end of a freeze `f`: its planned end, or when a person ended it. */
const END = sql`least(f.to_time, f.ended_at)`;
/** The period in which a freeze `f` holds. The index `freezes_held` has the same expression. */
const PERIOD = sql`tstzrange(f.from_time, greatest(f.from_time, ${END}))`;

const FREEZES = 'freezes';

/** A period between two instants. Freezes of other tenants than these are left out. */
interface FreezePeriod {
  after: Date;
  until: Date;
  tenants: RawBuilder<string[]>;
}

/** True for a freeze `f` that overlaps the period. */
function overlaps({ after, until, tenants }: FreezePeriod): RawBuilder<boolean> {
  return sql`${PERIOD} && tstzrange(least(${after}::timestamptz, ${until}), ${until}, '[]') and (f.tenant is null or f.tenant = any(${tenants}))`;
}

export async function hasFreezesBetween(store: Store, period: FreezePeriod): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (select from ${store.table('freezes')} f where ${overlaps(period)}) as has`.execute(store.db);
  return rows[0]!.has;
}

/**
 * Freezes that overlap the period, the first to begin first.
 *
 * @param period.named IDs of schedules: the `scheduleIds` of the result contain only these, since a freeze may name
 *   very many. @default all
 */
export async function readFreezesBetween(
  store: Store,
  { named, ...period }: FreezePeriod & { named?: string[] },
): Promise<Freeze[]> {
  const ids = sql`case when f.schedule_ids is not null
    then array(select unnest(f.schedule_ids) intersect select unnest(${named}::text[])) end`;
  const { rows } =
    await sql<Freeze>`select ${named ? columnsWith(ids) : FREEZE_COLUMNS} from ${store.table('freezes')} f
    where ${overlaps(period)} order by f.from_time, f.freeze_id`.execute(store.db);
  return rows;
}

/** If `ended` is true, ended freezes are read too. */
export async function readFreezes(
  store: Store,
  { tenant, ended, now, limit }: { tenant: string | undefined; ended: boolean; now: Date; limit: number },
): Promise<Freeze[]> {
  const { rows } = await sql<Freeze>`select ${FREEZE_COLUMNS} from ${store.table('freezes')} f
    where ${tenant === undefined ? sql`true` : sql`f.tenant = ${tenant}`}
      and ${ended ? sql`true` : sql`f.to_time > ${now} and f.ended_at is null`}
    order by f.from_time desc, f.freeze_id limit ${limit}`.execute(store.db);
  return rows;
}

/** Freezes that concern all tenants come first. Within each kind, the earliest planned end comes first. */
export async function readFreezesInForce(
  store: Store,
  { tenant, now, limit }: { tenant: string | undefined; now: Date; limit: number },
): Promise<Pick<Freeze, 'tenant' | 'to' | 'note'>[]> {
  const { rows } = await sql<Pick<Freeze, 'tenant' | 'to' | 'note'>>`
    select f.tenant, f.to_time as "to", f.note from ${store.table('freezes')} f
    where ${PERIOD} @> ${now}::timestamptz and ${tenant === undefined ? sql`true` : sql`(f.tenant is null or f.tenant = ${tenant})`}
    order by f.tenant is not null, f.to_time, f.freeze_id limit ${limit}`.execute(store.db);
  return rows;
}

/**
 * Let a transaction that creates a freeze wait for a lock as long as a statement may take. A freeze must also be
 * possible while Postgres is slow, and claims ahead of time keep their lock for long.
 */
export async function waitLonger(transaction: Store): Promise<void> {
  await sql`set local lock_timeout = 0`.execute(transaction.db);
}

/**
 * Counts the freezes of a tenant or, with null, those that concern all tenants: how many are in force or planned, and
 * how many ended after `since`.
 */
export async function countFreezes(
  store: Store,
  tenant: string | null,
  { now, since }: { now: Date; since: Date },
): Promise<{ standing: number; ended: number }> {
  const stands = sql`f.to_time > ${now} and f.ended_at is null`;
  const { rows } = await sql<{ standing: number; ended: number }>`
    select (count(*) filter (where ${stands}))::int as standing, (count(*) filter (where not (${stands})))::int as ended
    from ${store.table('freezes')} f
    where f.to_time > ${since} and ${END} > ${since} and f.tenant is not distinct from ${tenant}::text`.execute(
    store.db,
  );
  return rows[0]!;
}

/** Until the transaction ends, other transactions that are about to create a freeze of this tenant, or of all, wait. */
export async function holdFreezes(transaction: Store, tenant: string | null): Promise<void> {
  await holdLock(transaction, FREEZES, ` ${tenant}`);
}

export async function readFreeze(store: Store, freezeId: string): Promise<Freeze | undefined> {
  const { rows } = await sql<Freeze>`select ${FREEZE_COLUMNS} from ${store.table('freezes')} f
    where f.freeze_id = ${freezeId}`.execute(store.db);
  return rows[0];
}

/**
 * Until the transaction ends, no other transaction creates a freeze. Later statements of the transaction see the
 * freezes that were created before. Does not wait.
 *
 * @returns false if another transaction is creating a freeze now, which can no longer be postponed
 */
export async function postponeFreezes(transaction: Store): Promise<boolean> {
  const { rows } = await sql<{ postponed: boolean }>`
    select pg_try_advisory_xact_lock_shared(${advisoryKey(transaction, FREEZES)}) as postponed`.execute(transaction.db);
  return rows[0]!.postponed;
}

/**
 * ∅ → freeze: create a freeze. Claims that begin after the commit respect the freeze. Until then, nothing is claimed
 * ahead of time, so the transaction should have little left to do.
 */
export async function insertFreeze(store: Store, freeze: Omit<Freeze, 'endedAt' | 'endedBy'>): Promise<Freeze> {
  await holdLock(store, FREEZES);
  const { rows } = await sql<Freeze>`
    insert into ${store.table('freezes')} as f (freeze_id, tenant, source, query, schedule_ids, from_time, to_time, catch_up, note, actor, created_at)
    values (${freeze.freezeId}, ${freeze.tenant}, ${freeze.source}, ${freeze.query}, ${freeze.scheduleIds}::text[], ${freeze.from},
      ${freeze.to}, ${freeze.catchUp}, ${freeze.note}, ${freeze.actor}, ${freeze.createdAt})
    returning ${FREEZE_COLUMNS}`.execute(store.db);
  return rows[0]!;
}

/** End a freeze early. Returns undefined if no freeze has this ID and tenant, or if the freeze has already ended. */
export async function endFreeze(
  store: Store,
  freezeId: string,
  { tenant, now, actor }: { tenant: string | undefined; now: Date; actor: string },
): Promise<Freeze | undefined> {
  const { rows } = await sql<Freeze>`update ${store.table('freezes')} f set ended_at = ${now}, ended_by = ${actor}
    where f.freeze_id = ${freezeId} and f.ended_at is null and f.to_time > ${now}
      and ${tenant === undefined ? sql`true` : sql`f.tenant = ${tenant}`}
    returning ${FREEZE_COLUMNS}`.execute(store.db);
  return rows[0];
}

const WOKEN_AT_ONCE = 5_000;

/**
 * Wake schedules that may sleep until the planned end of a freeze that somebody ended early. Locked schedules are left
 * out. Sweeps repeat this until the planned end, since one call could miss a schedule even if it waited for locks. A
 * claim may have read the freeze before its early end, and may put the schedule to sleep afterwards.
 *
 * Other schedules may sleep until the same instant, and sweeps should not wake them again and again. So two kinds are
 * left out. The first were planned since the early end: what was due then is answered, and at most ten minutes ahead.
 * The others may be held by a freeze with the same planned end. These are woken for ten minutes, or not at all if that
 * freeze has the same scope.
 */
export async function wakeThawed(store: Store, now: Date): Promise<number> {
  let woken = 0;
  for (;;) {
    const { rows } = await sql<{ count: number }>`
      with ended as materialized (
        select f.to_time, f.ended_at from ${store.table('freezes')} f
        where f.to_time > ${now} and f.ended_at is not null and not exists (
          select from ${store.table('freezes')} g where g.to_time = f.to_time and g.from_time <= f.ended_at and g.ended_at is null
            and (g.tenant, g.source, g.query, g.schedule_ids) is not distinct from (f.tenant, f.source, f.query, f.schedule_ids))),
      sleeping as (
        select t.schedule_id from ${store.table('timers')} t
        where t.wake_at > ${now} and t.wake_at = any(array(select to_time from ended)) and exists (select from ended e
          where e.to_time = t.wake_at
            and not (t.answered_to >= e.ended_at + interval '10 minutes' and t.answered_to <= ${now}::timestamptz + interval '10 minutes')
            and not (e.ended_at < ${now}::timestamptz - interval '10 minutes' and exists (
              select from ${store.table('freezes')} g join ${store.table('schedules')} s on s.schedule_id = t.schedule_id
              where g.to_time = e.to_time and g.from_time <= ${now} and g.ended_at is null
                and (g.tenant is null or g.tenant = s.tenant) and (g.source is null or g.source = s.source)
                and (g.schedule_ids is null or t.schedule_id = any(g.schedule_ids)))))
        order by t.schedule_id limit ${WOKEN_AT_ONCE} for no key update skip locked),
      woken as (
        update ${store.table('timers')} t set wake_at = ${now}, seq = seq + 1 from sleeping x
        where t.schedule_id = x.schedule_id returning 1)
      select count(*)::int as count from woken`.execute(store.db);
    const { count } = rows[0]!;
    woken += count;
    if (count < WOKEN_AT_ONCE) return woken;
  }
}

/**
 * Of these locked schedules, wake those that sleep until the end of a freeze: after a change, the freeze may no longer
 * select them. A claim that matched the schedules before the change reads them again.
 */
export async function wakeFrozen(transaction: Store, scheduleIds: string[], now: Date): Promise<void> {
  await sql`
    with ends as materialized (select f.to_time from ${transaction.table('freezes')} f
      where ${PERIOD} @> ${now}::timestamptz and f.ended_at is null)
    update ${transaction.table('timers')} t set seq = t.seq + 1,
      wake_at = case when t.wake_at = any(array(select to_time from ends)) then ${now} else t.wake_at end
    where t.schedule_id = any(${scheduleIds}::text[]) and exists (select from ends)`.execute(transaction.db);
}
