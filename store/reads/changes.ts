import { type RawBuilder, sql } from 'kysely';
import { ALERT_COLUMNS, answerable, type ListedAlert } from '../alerts/read-alerts';
import type { Store } from '../connection';
import { FIRING_COLUMNS, type Firing } from './read-firings';

/** What is committed at an instant. */
export interface LedgerSnapshot {
  /** As Postgres writes it: `xmin:xmax:xip,…`. */
  snapshot: string;
  /** Which database it is of: one that was restored, or that took over, counts its transactions by itself. */
  incarnation: string;
}

/** What was committed after the first snapshot, and by the second. */
export interface ChangeRange {
  from: string;
  to: string;
}

/** What of the ledger anybody can see now. */
export async function readSnapshot(store: Store): Promise<LedgerSnapshot> {
  const { rows } = await sql<LedgerSnapshot>`select pg_current_snapshot()::text as snapshot,
    ${sql.id(store.schema, 'incarnation')}()::text as incarnation`.execute(store.db);
  return rows[0]!;
}

/** A firing that was changed, by which transaction, and whose it is. */
export interface ChangedFiring extends Firing {
  changed: string;
  /** Of its schedule; empty for nobody's. */
  ofTenant: string;
}

/** Where a page of firings ended. */
export type FiringPlace = Pick<ChangedFiring, 'changed' | 'scheduleId' | 'scheduledTime'>;

/** Firings that were changed, as they are now; one that changed again since is left to the range of that change. */
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

/** An alert that was changed, and by which transaction. */
export interface ChangedAlert extends ListedAlert {
  changed: string;
}

/** Where a page of alerts ended. */
export type AlertPlace = Pick<ChangedAlert, 'changed' | 'alertId'>;

/** Alerts that were opened, acknowledged, resolved or counted again, as they are now. */
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

/** The first alone is a range of the index. */
function isIn({ from, to }: ChangeRange): RawBuilder<boolean> {
  return sql`changed >= pg_snapshot_xmin(${from}::pg_snapshot) and changed < pg_snapshot_xmax(${to}::pg_snapshot)
    and not pg_visible_in_snapshot(changed, ${from}::pg_snapshot) and pg_visible_in_snapshot(changed, ${to}::pg_snapshot)`;
}
