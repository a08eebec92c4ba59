import { sql } from 'kysely';
import type { Store } from '../connection';

export interface ServerState {
  now: Date;
  isStandby: boolean;
  isReadOnly: boolean;
  /** Whether sessions take no writes because of this role or this session alone. */
  isReadOnlyByRole: boolean;
  hasAutovacuum: boolean;
}

export async function readServerState(store: Store): Promise<ServerState> {
  const { rows } = await sql<ServerState>`
    select clock_timestamp() as now, pg_is_in_recovery() as "isStandby",
      current_setting('default_transaction_read_only') = 'on' as "isReadOnly",
      (select source in ('user', 'database user', 'client', 'session') from pg_settings
        where name = 'default_transaction_read_only') as "isReadOnlyByRole",
      current_setting('autovacuum') = 'on' as "hasAutovacuum"`.execute(store.db);
  return rows[0]!;
}

/** A Postgres session, or a prepared transaction, that may block others. */
export interface OpenSession {
  /** The process ID for `pg_terminate_backend`; null for a prepared transaction. */
  pid: number | null;
  /** The name of the program or its role, or the name of a prepared transaction. */
  name: string | null;
  state: string | null;
  /** When the session's transaction began. */
  since: Date;
}

/** The oldest transactions that began longer ago than a limit, and that may keep dead rows from being vacuumed. */
export async function readOldSnapshots(
  store: Store,
  { olderThanSeconds }: { olderThanSeconds: number },
): Promise<OpenSession[]> {
  const { rows } = await sql<OpenSession>`
    select * from (
      select pid, coalesce(nullif(application_name, ''), usename) as name, state, xact_start as since from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
          and (backend_xmin is not null or backend_xid is not null)
      union all
      select null, gid, 'prepared', prepared from pg_prepared_xacts where database = current_database()) s
    where since < clock_timestamp() - ${olderThanSeconds} * interval '1 second' order by since limit 100`.execute(
    store.db,
  );
  return rows;
}

/**
 * Sessions that are idle in a transaction and hold locks on the ledger's tables, other than those of reads; the oldest
 * transaction first.
 */
export async function readIdleLocks(
  store: Store,
  { idleForSeconds }: { idleForSeconds: number },
): Promise<OpenSession[]> {
  const { rows } = await sql<OpenSession>`
    select a.pid, coalesce(nullif(a.application_name, ''), a.usename) as name, a.state, a.xact_start as since
    from pg_stat_activity a
    where a.datname = current_database() and a.state like 'idle in transaction%'
      and a.state_change < clock_timestamp() - ${idleForSeconds} * interval '1 second'
      and exists (select from pg_locks l join pg_class c on c.oid = l.relation join pg_namespace n on n.oid = c.relnamespace
        where l.pid = a.pid and l.database = (select oid from pg_database where datname = current_database())
          and n.nspname = ${store.schema} and l.mode <> 'AccessShareLock')
    order by a.xact_start limit 100`.execute(store.db);
  return rows;
}

export interface DeadRows {
  table: string;
  dead: number;
  live: number;
  lastAt: Date | null;
}

export async function readDeadRows(store: Store, { moreThan }: { moreThan: number }): Promise<DeadRows[]> {
  const { rows } = await sql<DeadRows>`
    select relname as table, n_dead_tup::float8 as dead, n_live_tup::float8 as live, last_autovacuum as "lastAt"
    from pg_stat_all_tables where schemaname = ${store.schema} and n_dead_tup > ${moreThan} and n_dead_tup > n_live_tup / 2
    order by n_dead_tup desc limit 100`.execute(store.db);
  return rows;
}
