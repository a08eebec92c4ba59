import { type RawBuilder, sql } from 'kysely';
import { ALERT_COLUMNS, answerable, type ListedAlert } from '../alerts/read-alerts';
import type { Store } from '../connection';
import { FIRING_COLUMNS, type Firing } from './read-firings';

/** A snapshot, which identifies the transactions that are committed at an instant. */
export interface LedgerSnapshot {
  /** The snapshot in the format of Postgres: `xmin:xmax:xip,…`. */
  snapshot: string;
  /**
   * The database to which the snapshot belongs: after a restore or a failover, the new database may give the same
   * numbers to other transactions.
   */
  incarnation: string;
}

/** Selects the rows that were committed after the first snapshot and up to the second. */
export interface ChangeRange {
  from: string;
  to: string;
}

export async function readSnapshot(store: Store): Promise<LedgerSnapshot> {
  const { rows } = await sql<LedgerSnapshot>`select pg_current_snapshot()::text as snapshot,
    ${sql.id(store.schema, 'incarnation')}()::text as incarnation`.execute(store.db);
  return rows[0]!;
}

export interface ChangedFiring extends Firing {
  changed: string;
  ofTenant: string;
}

export type FiringPlace = Pick<ChangedFiring, 'changed' | 'scheduleId' | 'scheduledTime'>;

/**
 * Firings that changed in a range of snapshots, in their current state. A firing that has changed again after the range
 * is not returned: the range of that later change has it.
 */
export async function readChangedFirings(
  store: Store,
  range: ChangeRange,
  after: FiringPlace | undefined,
  limit: number,
): Promise<ChangedFiring[]> {
  const behind = after
    ? sql`(changed, schedule_id, scheduled_time) > (${after.changed}::xid8, ${after.scheduleId}, ${after.scheduledTime}::timestamptz)`
    : sql`true`;
  const page = sql`${behind} order by changed, schedule_id, scheduled_time limit ${limit}`;
  const { rows } = await sql<ChangedFiring>`
    select f.changed::text as changed, coalesce((select s.tenant from ${store.table('schedules')} s where s.schedule_id = f.schedule_id), '') as "ofTenant",
      ${FIRING_COLUMNS}
    from ${changedRows(store.table('firings'), range, page)} f
    order by f.changed, f.schedule_id, f.scheduled_time limit ${limit}`.execute(store.db);
  return rows;
}

export interface ChangedAlert extends ListedAlert {
  changed: string;
}

export type AlertPlace = Pick<ChangedAlert, 'changed' | 'alertId'>;

/** Alerts that changed in a range of snapshots, in their current state. */
export async function readChangedAlerts(
  store: Store,
  range: ChangeRange,
  after: AlertPlace | undefined,
  limit: number,
): Promise<ChangedAlert[]> {
  const behind = after ? sql`(changed, alert_id) > (${after.changed}::xid8, ${after.alertId}::uuid)` : sql`true`;
  const page = sql`${behind} order by changed, alert_id limit ${limit}`;
  const { rows } = await sql<ChangedAlert>`select a.changed::text as changed, ${ALERT_COLUMNS}, ${answerable(store)}
    from ${changedRows(store.table('alerts'), range, page)} a
    order by a.changed, a.alert_id limit ${limit}`.execute(store.db);
  return rows;
}

/** The rows of a table that changed in a range, where each part of them has at most one `page`. */
function changedRows(table: Raw, { from, to }: ChangeRange, page: Raw): Raw {
  const [late, early] = committedAfter(from);
  const part = (committed: Raw) => sql`(select * from ${table} where ${committed} and ${IS_OF_THIS_SERVER}
    and changed < pg_snapshot_xmax(${to}::pg_snapshot) and pg_visible_in_snapshot(changed, ${to}::pg_snapshot) and ${page})`;
  return sql`(${part(late)} union all ${part(early)})`;
}

/**
 * True unless `changed` is later than the transaction that wrote the row. Such a row was copied from another server, as
 * a dump is, and its number may belong to another transaction here. Numbers of rows have 32 bits, so the difference is
 * taken in 32 bits. A copy passes for a row of this server if the other one was over two billion transactions ahead.
 */
const IS_OF_THIS_SERVER = sql`((xmin::text::bigint - changed::text::bigint) & 4294967295) < 2147483648`;

type Raw = RawBuilder<unknown>;

/**
 * Two conditions. One of them holds for rows whose transaction began after the snapshot, the other for rows whose
 * transaction was open then. An index on `changed` serves each. A single range would have all rows since the oldest of
 * the open transactions.
 */
export function committedAfter(snapshot: string): [late: Raw, early: Raw] {
  const [, , open] = snapshot.split(':');
  const taken = sql`${snapshot}::pg_snapshot`;
  return [
    sql`changed >= pg_snapshot_xmax(${taken})`,
    // With the range and the numbers as values, the planner knows how few rows these are.
    sql`changed >= pg_snapshot_xmin(${taken}) and changed < pg_snapshot_xmax(${taken})
      and changed = any(${`{${open}}`}::xid8[])`,
  ];
}
