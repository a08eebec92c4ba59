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
  return holdersOf(store, sql`select xmax from ${store.table('timers')} where schedule_id = ${scheduleId}`);
}

export async function lockHoldersOfEach(
  store: Store,
  scheduleIds: string[],
): Promise<(LockHolder & { scheduleId: string })[]> {
  const timers = sql`select xmax, schedule_id from ${store.table('timers')} where schedule_id = any(${scheduleIds}::text[])`;
  const { rows } = await sql<LockHolder & { scheduleId: string }>`
    select r.schedule_id as "scheduleId", ${HOLDER} ${holding(timers)}`.execute(store.db);
  return rows;
}

export async function firingLockHolders(store: Store, { scheduleId, scheduledTime }: FiringKey): Promise<LockHolder[]> {
  return holdersOf(
    store,
    sql`select xmax from ${store.table('firings')} where schedule_id = ${scheduleId} and scheduled_time = ${scheduledTime}`,
  );
}

async function holdersOf(store: Store, row: RawBuilder<unknown>): Promise<LockHolder[]> {
  const { rows } = await sql<LockHolder>`select ${HOLDER} ${holding(row)}`.execute(store.db);
  return rows;
}

const HOLDER = sql<LockHolder>`a.pid, a.usename as role, nullif(a.application_name, '') as application, a.state, a.xact_start as since,
      a.query_start as "queryStart"`;

/** Sessions `a` that hold locks on rows `r`: for each row, the transaction that last wrote or locked it. */
const holding = (rows: RawBuilder<unknown>) => sql`from (${rows}) r
    join pg_locks l on l.locktype = 'transactionid' and l.granted and l.transactionid = r.xmax
    join pg_stat_activity a on a.pid = l.pid
    where a.pid <> pg_backend_pid()`;

export function describeHolder({ pid, role, application, state, since }: LockHolder): string {
  const who = [role, application, state].filter((part) => part !== null).join(', ');
  return `process ${pid} (${who}${since ? `, since ${since.toISOString()}` : ''})`;
}
