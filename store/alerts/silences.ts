import { type RawBuilder, sql } from 'kysely';
import type { AlertCondition } from '../../core/alert-defaults';
import type { Store } from '../connection';

/**
 * A silence: for a while, matching alerts are not sent or repeated. The end of an alert that was sent before is still
 * sent. `ledger_unavailable`, and `no_trigger` from a server, are sent all the same.
 */
export interface Silence {
  /** The silence's key, a UUID. */
  silenceId: string;
  /** The tenant whose alerts are silenced; null for all tenants. */
  tenant: string | null;
  /** The schedule whose alerts are silenced; null for all schedules. */
  scheduleId: string | null;
  /** The condition whose alerts are silenced; null for all conditions. */
  condition: AlertCondition | null;
  /** The end of the silence: from then on alerts are sent again. */
  until: Date;
  /** Why a person silenced the alerts. */
  reason: string;
  /** Who created the silence. */
  actor: string;
  /** When the silence was created. */
  createdAt: Date;
}

const COLUMNS = sql<Silence>`q.silence_id as "silenceId", q.tenant, q.schedule_id as "scheduleId", q.condition, q.until, q.reason, q.actor,
  q.created_at as "createdAt"`;

/**
 * True if a silence applies to an alert `a`. An alert that belongs to no schedule is silenced only by a silence of all
 * tenants that names no schedule.
 */
export function isSilenced(store: Store, now: Date): RawBuilder<boolean> {
  return sql`exists (select from ${store.table('alert_silences')} q where q.until > ${now}
    and (q.tenant is null or (q.tenant = a.tenant and a.schedule_id is not null))
    and (q.schedule_id is null or q.schedule_id = a.schedule_id) and (q.condition is null or q.condition = a.condition))`;
}

export interface NewSilence extends Omit<Silence, 'createdAt'> {
  /** The current time; undefined for the database's clock. */
  now: Date | undefined;
}

export async function insertSilence(store: Store, { now, ...silence }: NewSilence): Promise<Silence> {
  const { silenceId, tenant, scheduleId, condition, until, reason, actor } = silence;
  const { rows } = await sql<Silence>`
    insert into ${store.table('alert_silences')} as q (silence_id, tenant, schedule_id, condition, until, reason, actor, created_at)
    values (${silenceId}, ${tenant}, ${scheduleId}, ${condition}, ${until}, ${reason}, ${actor}, coalesce(${now ?? null}::timestamptz, clock_timestamp()))
    returning ${COLUMNS}`.execute(store.db);
  return rows[0]!;
}

/** Silences in force, the first to end first; with `tenant`, only that tenant's. */
export async function readSilences(
  store: Store,
  { tenant, now }: { tenant: string | undefined; now: Date | undefined },
): Promise<Silence[]> {
  const { rows } = await sql<Silence>`select ${COLUMNS} from ${store.table('alert_silences')} q
    where q.until > coalesce(${now ?? null}::timestamptz, clock_timestamp())
      and ${tenant === undefined ? sql`true` : sql`q.tenant = ${tenant}`} order by q.until, q.silence_id`.execute(
    store.db,
  );
  return rows;
}

/** Returns undefined if no silence in force has this ID; with `tenant`, only that tenant's silences count. */
export async function endSilence(
  store: Store,
  silenceId: string,
  { tenant, now }: { tenant: string | undefined; now: Date | undefined },
): Promise<Silence | undefined> {
  const instant = sql`coalesce(${now ?? null}::timestamptz, clock_timestamp())`;
  const { rows } = await sql<Silence>`update ${store.table('alert_silences')} q set until = ${instant}
    where q.silence_id = ${silenceId} and q.until > ${instant} and ${tenant === undefined ? sql`true` : sql`q.tenant = ${tenant}`}
    returning ${COLUMNS}`.execute(store.db);
  return rows[0];
}
