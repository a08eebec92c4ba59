import { sql } from 'kysely';
import { type AlertCondition, CRITICAL_CONDITIONS } from '../../core/alert-defaults';
import type { Store } from '../connection';

/** A problem that is reported to people. */
export interface Alert {
  /** The alert's key, a UUID. */
  alertId: string;
  /** The kind of problem. */
  condition: AlertCondition;
  /** The schedule that has the problem; null for an alert about several schedules or about none. */
  scheduleId: string | null;
  /** The schedule's tenant; empty if it has none. */
  tenant: string;
  /** When the alert opened. */
  openedAt: Date;
  /** When the problem was last seen. */
  lastSeenAt: Date;
  /** When the problem was found to be over; null while the alert is open. */
  resolvedAt: Date | null;
  /** When a person acknowledged the alert. */
  acknowledgedAt: Date | null;
  /** Who acknowledged the alert. */
  acknowledgedBy: string | null;
  /**
   * The number of firings, occurrences, letters or schedules that the alert covers, or 1; for `recovered`, how often a
   * firing was taken over.
   */
  count: number;
  /** The problem in one sentence. */
  text: string;
  /** The ID of the summary alert that covers this alert and others; null for none. */
  summaryId: string | null;
}

/** An alert with the owner and the run-book of its schedule. */
export interface ListedAlert extends Alert {
  /** The owner of the alert's schedule; null if there is none. */
  owner: string | null;
  /** The run-book of the alert's schedule; null if there is none. */
  runbook: string | null;
}

export function answerable(store: Store) {
  const of = (column: 'owner' | 'runbook') =>
    sql`(select ${sql.ref(`s.${column}`)} from ${store.table('schedules')} s where s.schedule_id = a.schedule_id) as ${sql.ref(column)}`;
  return sql`${of('owner')}, ${of('runbook')}`;
}

export const ALERT_COLUMNS = sql<Alert>`a.alert_id as "alertId", a.condition, a.schedule_id as "scheduleId", a.tenant, a.opened_at as "openedAt",
  a.last_seen_at as "lastSeenAt", a.resolved_at as "resolvedAt", a.acknowledged_at as "acknowledgedAt",
  a.acknowledged_by as "acknowledgedBy", a.count, a.text, a.summary_id as "summaryId"`;

/** Open alerts that belong to no schedule, each as its condition, a space and its subject. */
export async function readOpenReported(store: Store): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select a.condition || ' ' || a.subject as name from ${store.table('alerts')} a
    where a.resolved_at is null and a.schedule_id is null`.execute(store.db);
  return rows.map(({ name }) => name);
}

/**
 * Which alerts come first. `newest`: those that opened last. `worst`: critical ones, and within a severity those that
 * opened first.
 */
export type AlertOrder = 'newest' | 'worst';

interface AlertQuery {
  /**
   * The tenant whose alerts are read; undefined for all. With a tenant, alerts about no schedule or several are left
   * out.
   */
  tenant: string | undefined;
  /** Whether alerts that are over are included. */
  resolved: boolean;
}

function matches({ tenant, resolved }: AlertQuery) {
  return sql`${tenant === undefined ? sql`true` : sql`a.tenant = ${tenant} and a.schedule_id is not null`}
      and ${resolved ? sql`true` : sql`a.resolved_at is null`}`;
}

export async function readAlerts(
  store: Store,
  { limit, order = 'newest', ...query }: AlertQuery & { limit: number; order?: AlertOrder | undefined },
): Promise<ListedAlert[]> {
  const inOrder =
    order === 'newest' ? sql`a.opened_at desc` : sql`a.condition = any(${CRITICAL_CONDITIONS}) desc, a.opened_at`;
  const { rows } = await sql<ListedAlert>`select ${ALERT_COLUMNS}, ${answerable(store)} from ${store.table('alerts')} a
    where ${matches(query)} order by ${inOrder}, a.alert_id limit ${limit}`.execute(store.db);
  return rows;
}

/** How many alerts match, and how many of these are open and not acknowledged. */
export interface AlertCounts {
  total: number;
  notAcknowledged: number;
}

export async function countAlerts(store: Store, query: AlertQuery): Promise<AlertCounts> {
  const { rows } = await sql<AlertCounts>`select count(*)::int as total,
      (count(*) filter (where a.resolved_at is null and a.acknowledged_at is null))::int as "notAcknowledged"
    from ${store.table('alerts')} a where ${matches(query)}`.execute(store.db);
  return rows[0]!;
}

/** An earlier acknowledgement stays. Returns undefined if no alert of the tenant has this ID. */
export async function acknowledgeAlert(
  store: Store,
  alertId: string,
  { actor, now, tenant }: { actor: string; now: Date | undefined; tenant: string | undefined },
): Promise<ListedAlert | undefined> {
  const { rows } = await sql<ListedAlert>`update ${store.table('alerts')} a
    set acknowledged_by = coalesce(a.acknowledged_by, ${actor}),
      acknowledged_at = coalesce(a.acknowledged_at, ${now ?? null}::timestamptz, clock_timestamp())
    where a.alert_id = ${alertId} and ${matches({ tenant, resolved: true })}
    returning ${ALERT_COLUMNS}, ${answerable(store)}`.execute(store.db);
  return rows[0];
}
