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
    ? sql`(f.changed, f.schedule_id, f.scheduled_time) > (${after.changed}::xid8, ${after.scheduleId}, ${after.scheduledTime}::timestamptz)`
    : sql`true`;
  const { rows } = await sql<ChangedFiring>`
    select f.changed::text as changed, coalesce((select s.tenant from ${store.table('schedules')} s where s.schedule_id = f.schedule_id), '') as "ofTenant",
      ${FIRING_COLUMNS}
    from ${store.table('firings')} f where ${isIn(range)} and ${behind}
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
  const behind = after ? sql`(a.changed, a.alert_id) > (${after.changed}::xid8, ${after.alertId}::uuid)` : sql`true`;
  const { rows } = await sql<ChangedAlert>`select a.changed::text as changed, ${ALERT_COLUMNS}, ${answerable(store)}
    from ${store.table('alerts')} a where ${isIn(range)} and ${behind}
    order by a.changed, a.alert_id limit ${limit}`.execute(store.db);
  return rows;
}

/** Only the first two conditions are a range that an index can read. */
function isIn({ from, to }: ChangeRange): RawBuilder<boolean> {
  return sql`changed >= pg_snapshot_xmin(${from}::pg_snapshot) and changed < pg_snapshot_xmax(${to}::pg_snapshot)
    and not pg_visible_in_snapshot(changed, ${from}::pg_snapshot) and pg_visible_in_snapshot(changed, ${to}::pg_snapshot)`;
}
