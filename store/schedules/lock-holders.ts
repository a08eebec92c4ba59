import { type RawBuilder, sql } from 'kysely';
import type { FiringKey } from '../../core/firing';
import type { Store } from '../connection';

/** A session that holds the lock of a row, such as a schedule's timer, in an open transaction. */
export interface LockHolder {
  /** The server process, for `pg_terminate_backend`. */
  pid: number;
  /** The session's role; null if it has none. */
  role: string | null;
  /** The application name of the session; null if it has none. */
  application: string | null;
  /** The session's state, such as `active` or `idle in transaction`; null if this role may not see it. */
  state: string | null;
  /** When the session's transaction began; null if this role may not see it. */
  since: Date | null;
  /** When the session's last statement began; null if this role may not see it. */
  queryStart: Date | null;
}

/** The read does not wait for the lock. */
export async function lockHolders(store: Store, scheduleId: string): Promise<LockHolder[]> {
  return holdersOf(store, sql`select xmax, tableoid from ${store.table('timers')} where schedule_id = ${scheduleId}`);
}

export async function lockHoldersOfEach(store: Store, scheduleIds: string[]): Promise<ScheduleHolder[]> {
  const timers = store.table('timers');
  return holdersOfEach(
    store,
    sql`select xmax, tableoid, schedule_id from ${timers} where schedule_id = any(${scheduleIds}::text[])`,
  );
}

/** How many due timers and polls are looked at. What stays locked is the longest due, so it is among the first. */
const DUE_AT_MOST = 100;

/** The holders of schedules whose timer, or the poll of whose chain, is due by now. */
export async function lockHoldersOfDue(store: Store, now: Date): Promise<ScheduleHolder[]> {
  const timers = store.table('timers');
  // The `offset` makes the planner find each timer by its key. Otherwise it may read all timers.
  return holdersOfEach(
    store,
    sql`select t.* from (
        (select schedule_id from ${timers} where wake_at <= ${now} order by wake_at, schedule_id limit ${DUE_AT_MOST})
        union (select schedule_id from ${store.table('firings')} f where f.state = 'linked' and f.check_at <= ${now}
          order by f.check_at, f.scheduled_time, f.schedule_id limit ${DUE_AT_MOST})) d
      cross join lateral (select xmax, tableoid, schedule_id from ${timers} where schedule_id = d.schedule_id offset 0) t`,
  );
}

type ScheduleHolder = LockHolder & { scheduleId: string };

async function holdersOfEach(store: Store, timers: RawBuilder<unknown>): Promise<ScheduleHolder[]> {
  const { rows } = await sql<ScheduleHolder>`
    ${LOCKS} select r.schedule_id as "scheduleId", ${HOLDER} ${holding(timers)}`.execute(store.db);
  return rows;
}

export async function firingLockHolders(store: Store, { scheduleId, scheduledTime }: FiringKey): Promise<LockHolder[]> {
  return holdersOf(
    store,
    sql`select xmax, tableoid from ${store.table('firings')} where schedule_id = ${scheduleId} and scheduled_time = ${scheduledTime}`,
  );
}

async function holdersOf(store: Store, row: RawBuilder<unknown>): Promise<LockHolder[]> {
  const { rows } = await sql<LockHolder>`${LOCKS} select ${HOLDER} ${holding(row)}`.execute(store.db);
  return rows;
}

const HOLDER = sql<LockHolder>`a.pid, a.usename as role, nullif(a.application_name, '') as application, a.state, a.xact_start as since,
      a.query_start as "queryStart"`;

const LOCKS = sql`with locks as materialized (
      select locktype, transactionid, relation, mode, virtualtransaction, pid from pg_locks
      where granted and locktype in ('transactionid', 'relation'))`;

const LATEST = sql`pg_snapshot_xmax(pg_current_snapshot())::text::bigint`;

/**
 * Whether the transaction or savepoint that last wrote or locked a row `r` is still open. The row has the lower 32 bits
 * of its ID, and the ID is the one nearest to the latest. Postgres throws for an ID that is not given yet.
 */
const IS_OPEN = sql`case when age(r.xmax) between 1 and 2147483646 then pg_xact_status(greatest(0,
        ${LATEST} - ((${LATEST} - r.xmax::text::bigint + 2147483648) & 4294967295) + 2147483648)::text::xid8) = 'in progress' end`;

/**
 * Sessions `a` that hold locks on rows `r`: for each row, the transaction that last wrote or locked it. A released
 * savepoint, such as that of a call in a caller's transaction, leaves the row locked, but no lock with its own ID. The
 * holder is then one of the older transactions that have locked rows of the table, so it is named only if there is one.
 */
const holding = (rows: RawBuilder<unknown>) => sql`from (${rows}) r
    cross join lateral (
      select l.pid from locks l where l.locktype = 'transactionid' and l.transactionid = r.xmax
      union
      select min(l.pid) from locks l join locks t using (virtualtransaction)
      where l.locktype = 'transactionid' and age(l.transactionid) > age(r.xmax) and t.locktype = 'relation'
        and t.relation = r.tableoid and t.mode in ('RowShareLock', 'RowExclusiveLock') and ${IS_OPEN}
        and not exists (select from locks e where e.locktype = 'transactionid' and e.transactionid = r.xmax)
      having count(distinct virtualtransaction) = 1) h
    join pg_stat_activity a on a.pid = h.pid
    where a.pid <> pg_backend_pid()`;

export function describeHolder({ pid, role, application, state, since }: LockHolder): string {
  const who = [role, application, state].filter((part) => part !== null).join(', ');
  return `process ${pid} (${who}${since ? `, since ${since.toISOString()}` : ''})`;
}
