import { sql } from 'kysely';
import type { AlertCondition } from '../../core/alerts';
import type { Store } from '../connection';

/** Something that people are told of. */
export interface Alert {
  /** Its key, a UUID. */
  alertId: string;
  /** What is wrong. */
  condition: AlertCondition;
  /** Which schedule it is about; null of one that tells of several at once. */
  scheduleId: string | null;
  /** Whose that schedule is; empty for nobody's. */
  tenant: string;
  /** Since when. */
  openedAt: Date;
  /** When it was last seen to hold, to the minute. */
  lastSeenAt: Date;
  /** Since when it is over; null while it is not. */
  resolvedAt: Date | null;
  /** When a person said that they know of it. */
  acknowledgedAt: Date | null;
  /** Who. */
  acknowledgedBy: string | null;
  /** How many firings, occurrences, letters or schedules it is about. */
  count: number;
  /** What is wrong, in a sentence. */
  text: string;
  /** The alert that tells of this one and others at once; null where it is told by itself. */
  summaryId: string | null;
}

/** One with who answers for its schedule. */
export interface ListedAlert extends Alert {
  /** Who answers for its schedule; null for nobody, and of one that is of no schedule. */
  owner: string | null;
  /** Where it says what to do; null for nowhere. */
  runbook: string | null;
}

/** Of an alert `a`: who answers for its schedule. */
export function answerable(store: Store) {
  const of = (column: 'owner' | 'runbook') =>
    sql`(select ${sql.ref(`s.${column}`)} from ${store.table('schedules')} s where s.schedule_id = a.schedule_id) as ${sql.ref(column)}`;
  return sql`${of('owner')}, ${of('runbook')}`;
}

export const ALERT_COLUMNS = sql<Alert>`a.alert_id as "alertId", a.condition, a.schedule_id as "scheduleId", a.tenant, a.opened_at as "openedAt",
  a.last_seen_at as "lastSeenAt", a.resolved_at as "resolvedAt", a.acknowledged_at as "acknowledgedAt",
  a.acknowledged_by as "acknowledgedBy", a.count, a.text, a.summary_id as "summaryId"`;

/** Newest first. @param tenant undefined for all; what is of no tenant is shown to an operator alone */
export async function readAlerts(
  store: Store,
  { tenant, resolved, limit }: { tenant: string | undefined; resolved: boolean; limit: number },
): Promise<ListedAlert[]> {
  const { rows } = await sql<ListedAlert>`select ${ALERT_COLUMNS}, ${answerable(store)} from ${store.table('alerts')} a
    where ${tenant === undefined ? sql`true` : sql`a.tenant = ${tenant} and a.schedule_id is not null`}
      and ${resolved ? sql`true` : sql`a.resolved_at is null`}
    order by a.opened_at desc, a.alert_id limit ${limit}`.execute(store.db);
  return rows;
}

/** Note that a person knows of an alert, unless one said so before. Undefined where there is none of this ID. */
export async function acknowledgeAlert(
  store: Store,
  alertId: string,
  { actor, now, tenant }: { actor: string; now: Date | undefined; tenant: string | undefined },
): Promise<ListedAlert | undefined> {
  const { rows } = await sql<ListedAlert>`update ${store.table('alerts')} a
    set acknowledged_by = coalesce(a.acknowledged_by, ${actor}),
      acknowledged_at = coalesce(a.acknowledged_at, ${now ?? null}::timestamptz, clock_timestamp())
    where a.alert_id = ${alertId} and ${tenant === undefined ? sql`true` : sql`a.tenant = ${tenant} and a.schedule_id is not null`}
    returning ${ALERT_COLUMNS}, ${answerable(store)}`.execute(store.db);
  return rows[0];
}
