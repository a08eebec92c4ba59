import { sql } from 'kysely';
import type { FreezeCatchUp } from '../../core/decisions/freeze';
import type { Store } from '../connection';

/** A stretch of time in which nothing of some schedules starts. */
export interface Freeze {
  /** Its key, a UUID. */
  freezeId: string;
  /** Of this tenant alone; null for all. */
  tenant: string | null;
  /** Of what this source declared, as the ledger names it; null for any. */
  source: string | null;
  /** Of those that match this list filter; null for any. */
  query: string | null;
  /** Of these alone; null for any. */
  scheduleIds: string[] | null;
  /** What is to start at it, or later, is held back. */
  from: Date;
  /** What is to start at it, or later, fires. */
  to: Date;
  /** What becomes of what was held back, when it ends. */
  catchUp: FreezeCatchUp;
  /** Why, for people. */
  note: string | null;
  /** Who asked for it. */
  actor: string;
  /** When they did. */
  createdAt: Date;
  /** When a person ended it before its time; null where nobody did. */
  endedAt: Date | null;
  /** Who ended it; null where nobody did. */
  endedBy: string | null;
}

export const FREEZE_COLUMNS = sql<Freeze>`f.freeze_id as "freezeId", f.tenant, f.source, f.query, f.schedule_ids as "scheduleIds",
  f.from_time as "from", f.to_time as "to", f.catch_up as "catchUp", f.note, f.actor, f.created_at as "createdAt", f.ended_at as "endedAt", f.ended_by as "endedBy"`;

/** The end of a freeze `f`: its own, or when a person ended it. */
const END = sql`least(f.to_time, coalesce(f.ended_at, f.to_time))`;

/** Freezes that hold anything between two instants, the first to begin first. Most ledgers have none. */
export async function readFreezesBetween(store: Store, after: Date, until: Date): Promise<Freeze[]> {
  const { rows } = await sql<Freeze>`select ${FREEZE_COLUMNS} from ${store.table('freezes')} f
    where f.to_time > ${after} and f.from_time <= ${until} and ${END} > greatest(${after}::timestamptz, f.from_time)
    order by f.from_time, f.freeze_id`.execute(store.db);
  return rows;
}

/** Freezes of a tenant, the last to begin first. @param tenant undefined for all */
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

/** One freeze; undefined where there is none of this ID. */
export async function readFreeze(store: Store, freezeId: string): Promise<Freeze | undefined> {
  const { rows } = await sql<Freeze>`select ${FREEZE_COLUMNS} from ${store.table('freezes')} f
    where f.freeze_id = ${freezeId}`.execute(store.db);
  return rows[0];
}

/** ∅ → freeze. It is in force when this has been committed. */
export async function insertFreeze(store: Store, freeze: Omit<Freeze, 'endedAt' | 'endedBy'>): Promise<Freeze> {
  const { rows } = await sql<Freeze>`
    insert into ${store.table('freezes')} as f (freeze_id, tenant, source, query, schedule_ids, from_time, to_time, catch_up, note, actor, created_at)
    values (${freeze.freezeId}, ${freeze.tenant}, ${freeze.source}, ${freeze.query}, ${freeze.scheduleIds}::text[], ${freeze.from},
      ${freeze.to}, ${freeze.catchUp}, ${freeze.note}, ${freeze.actor}, ${freeze.createdAt})
    returning ${FREEZE_COLUMNS}`.execute(store.db);
  return rows[0]!;
}

/** End a freeze before its time. Undefined where there is none of this ID and tenant, or it has ended already. */
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

/** So many are woken by one statement. */
const WOKEN_AT_ONCE = 5_000;

/**
 * Wake what sleeps until the end that a freeze was to have, and that somebody ended before. A claim that read the freeze just before
 * may put one more to sleep: so this is done again for as long as that time has not come.
 *
 * @returns how many were woken
 */
export async function wakeThawed(store: Store, now: Date): Promise<number> {
  let woken = 0;
  for (;;) {
    // A lock that somebody holds is not waited for: the next call finds what is left.
    const { rows } = await sql<{ count: number }>`
      with sleeping as (
        select t.schedule_id from ${store.table('timers')} t
        where t.wake_at > ${now} and t.wake_at = any(array(select f.to_time from ${store.table('freezes')} f
          where f.to_time > ${now} and f.ended_at is not null))
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
