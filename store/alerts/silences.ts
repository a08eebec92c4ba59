import { type RawBuilder, sql } from 'kysely';
import type { AlertCondition } from '../../core/alerts';
import type { Store } from '../connection';

/** Suppresses alerts for a while. */
export interface Silence {
  /** Its key, a UUID. */
  silenceId: string;
  /** Only for the schedules of this tenant; null for all. */
  tenant: string | null;
  /** Only for this schedule; null for all. */
  scheduleId: string | null;
  /** Only for this condition; null for all. */
  condition: AlertCondition | null;
  /** When alerts are sent again. */
  until: Date;
  /** The reason. */
  reason: string;
  /** Who requested it. */
  actor: string;
  /** When it was created. */
  createdAt: Date;
}

const COLUMNS = sql<Silence>`q.silence_id as "silenceId", q.tenant, q.schedule_id as "scheduleId", q.condition, q.until, q.reason, q.actor,
  q.created_at as "createdAt"`;

/**
 * True if an alert `a` is silenced now. An alert that belongs to no schedule is silenced only by its condition, or by a
 * silence for everything.
 */
export function isSilenced(store: Store, now: Date): RawBuilder<boolean> {
  return sql`exists (select from ${store.table('alert_silences')} q where q.until > ${now}
    and (q.tenant is null or (q.tenant = a.tenant and a.schedule_id is not null))
    and (q.schedule_id is null or q.schedule_id = a.schedule_id) and (q.condition is null or q.condition = a.condition))`;
}

/** The values of a new silence. @param now undefined for the database's clock */
export interface NewSilence extends Omit<Silence, 'createdAt'> {
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

/** Silences in force, the first to end first. @param tenant undefined for all */
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

/** End a silence now. Undefined if no silence in force has this ID. @param tenant undefined for all */
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
