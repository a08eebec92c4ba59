import { type RawBuilder, sql } from 'kysely';
import type { FiringKind, FiringOutcome, FiringState } from '../../core/firing';
import type { Store } from '../connection';

/** A firing in a strip. A strip shows the latest firings and gaps of a schedule. */
export interface StripFiring {
  scheduleId: string;
  scheduledTime: Date;
  state: FiringState;
  outcome: FiringOutcome | null;
  reason: string | null;
  kind: FiringKind;
  /** Whether another trigger took the firing over. */
  recovered: boolean;
  claimedAt: Date;
  linkedAt: Date | null;
  startsAt: Date | null;
  closedAt: Date | null;
  /** Why the start failed, or the message of the dead letter. */
  error: string | null;
}

export interface StripGap {
  scheduleId: string;
  from: Date;
  to: Date;
  count: number;
  reason: string;
}

export interface StripQuery {
  scheduleIds: string[];
  /** For each schedule, how many of the latest firings, and how many of the latest gaps, are read. */
  last: number;
  /** Excluded occurrences later than this are left out. */
  now: Date;
  withErrors: boolean;
}

export async function readStripFirings(store: Store, query: StripQuery): Promise<StripFiring[]> {
  const { scheduleIds, last, now, withErrors } = query;
  const { rows } = await sql<StripFiring>`
    select f.* from unnest(${scheduleIds}::text[]) x (schedule_id) cross join lateral (
      select f.schedule_id as "scheduleId", f.scheduled_time as "scheduledTime", f.state, f.outcome, f.reason, f.kind,
        f.recovery is not null as recovered, f.claimed_at as "claimedAt", f.linked_at as "linkedAt",
        f.starts_at as "startsAt", f.closed_at as "closedAt", ${withErrors ? errorOf(store) : sql`null::text`} as error
      from ${store.table('firings')} f
      where f.schedule_id = x.schedule_id and (f.scheduled_time <= ${now} or f.reason is distinct from 'excluded')
      order by f.scheduled_time desc limit ${last}) f
    order by f."scheduleId", f."scheduledTime" desc`.execute(store.db);
  return rows;
}

function errorOf(store: Store): RawBuilder<unknown> {
  return sql`case when f.outcome in ('failed', 'timed_out') or f.state in ('abandoned', 'linked') then coalesce((
      select coalesce(l.failed_step #>> '{failure,message}', l.failed_step #>> '{failure,type}')
      from ${store.table('dead_letters')} l
      where l.schedule_id = f.schedule_id and l.scheduled_time = f.scheduled_time
      order by l.created_at desc limit 1), f.last_error)
    else f.last_error end`;
}

export async function readStripGaps(store: Store, { scheduleIds, last }: StripQuery): Promise<StripGap[]> {
  const { rows } = await sql<StripGap>`
    select g.* from unnest(${scheduleIds}::text[]) x (schedule_id) cross join lateral (
      select g.schedule_id as "scheduleId", g.from_time as "from", g.to_time as "to", g.count, g.reason
      from ${store.table('gaps')} g where g.schedule_id = x.schedule_id
      order by g.from_time desc limit ${last}) g
    order by g."scheduleId", g."from" desc`.execute(store.db);
  return rows;
}
