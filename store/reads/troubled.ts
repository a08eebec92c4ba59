import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../connection';
import { IS_WAITING } from '../firings/waiting';
import { and } from '../text';
import { scheduleConditions } from './firing-filter';

/** A schedule that needs attention, and how much. */
export interface Troubled {
  scheduleId: string;
  /** Since when the schedule needs attention. */
  since: Date;
  /**
   * For a failing schedule: how many of its latest ended firings failed in a row. For a late schedule: how many of its
   * claims wait for their start, and one more if the schedule itself is due.
   */
  count: number;
  /** For a failing schedule: whether others that fail may be missing, since not all of them were checked. */
  isCut?: boolean;
}

/** Selects schedules, and limits their number. */
export interface TroubledQuery {
  now: Date;
  tenant: string | undefined;
  /** Only schedules whose ID or note contains this text, in upper or lower case. */
  text?: string | undefined;
  limit: number;
}

/**
 * The schedules of a tenant or with a text, as the first table of a statement, and the condition that one is among
 * them. The condition is checked before any limit cuts schedules off.
 */
function selectionOf(store: Store, query: TroubledQuery) {
  const conditions = scheduleConditions(query);
  if (conditions.length === 0) return { selected: undefined, isSelected: sql`true` };
  return {
    selected: sql`selected as materialized (select s.schedule_id from ${store.table('schedules')} s
      where s.deleted_at is null and ${and(conditions)})`,
    isSelected: sql`schedule_id in (select schedule_id from selected)`,
  };
}

/** Which failing schedules come first: those with the most failures in a row, or with the newest failure. */
export type FailingOrder = 'longest' | 'newest';

/** How many of the newest firings with an unusual result are read: after a bad deploy, all schedules fail at once. */
const UNUSUAL_READ_AT_MOST = 2_000;
/** Failures in a row are counted up to this number. */
const ROW_AT_MOST = 50;
/** This many ended firings of each candidate are read first. Only if all of them failed are more of its firings read. */
const FEW_FAILURES = 4;
/** A schedule whose last failure is older than this is not listed, even if it has not fired since. */
const FAILED_SINCE = '30 days';

/**
 * Schedules whose last ended firing failed or was abandoned. With a tenant or a text, `limit` of the schedules that
 * match are checked too, since failures of others may be newer.
 */
export async function readFailing(
  store: Store,
  { order, ...query }: TroubledQuery & { order: FailingOrder },
): Promise<Troubled[]> {
  const { now, limit } = query;
  const { selected, isSelected } = selectionOf(store, query);
  const failed = sql`(f.outcome in ('failed', 'timed_out') or f.state = 'abandoned')`;
  // The index `firings_unusual` has the same condition.
  const unusual = sql`(f.kind <> 'schedule' or f.state in ('skipped', 'abandoned') or f.outcome in ('failed', 'timed_out', 'canceled', 'terminated', 'unknown'))`;
  // Counts the latest ended firings before which no other one was without a failure, and reads at most `limit` of them.
  const failuresInARow = (limit: number) => sql`(
    select count(*)::int as count, min(e.scheduled_time) as since, max(e.scheduled_time) as newest
    from (select e.scheduled_time, bool_and(e.failed) over (order by e.scheduled_time desc) as "isInRow" from (
      select f.scheduled_time, ${failed} as failed from ${store.table('firings')} f
      where f.schedule_id = c.schedule_id and f.state in ('closed', 'abandoned')
      order by f.scheduled_time desc limit ${limit}) e) e where e."isInRow")`;
  const isRecent = (time: RawBuilder<unknown>) =>
    sql`${time} > ${now}::timestamptz - interval '${sql.raw(FAILED_SINCE)}'`;
  const { rows } = await sql<Troubled>`
    with ${selected ? sql`${selected},` : sql``} newest as materialized (
        select f.schedule_id, ${failed} as failed from ${store.table('firings')} f
        where ${unusual} and f.scheduled_time <= ${now} and ${isRecent(sql`f.scheduled_time`)}
        order by f.scheduled_time desc, f.schedule_id desc limit ${UNUSUAL_READ_AT_MOST}),
      candidates as ((select schedule_id from newest where failed and ${isSelected})
        union (select schedule_id from ${selected ? sql`selected` : sql`newest where false`} limit ${limit})),
      cut as (select (select count(*) from newest) = ${UNUSUAL_READ_AT_MOST}
        ${selected ? sql`and (select count(*) from selected) > ${limit}` : sql``} as "isCut")
    select c.schedule_id as "scheduleId", r.since, r.count, cut."isCut" from cut cross join candidates c
    cross join lateral ${failuresInARow(FEW_FAILURES)} few
    cross join lateral (select few.* where few.count < ${FEW_FAILURES}
      union all select many.* from ${failuresInARow(ROW_AT_MOST)} many where few.count = ${FEW_FAILURES}) r
    cross join lateral (select from ${store.table('schedules')} s where s.schedule_id = c.schedule_id and s.deleted_at is null limit 1) s
    where ${isRecent(sql`r.newest`)}
    order by ${order === 'longest' ? sql`r.count desc, r.since` : sql`r.newest desc`}, c.schedule_id limit ${limit}`.execute(
    store.db,
  );
  return rows;
}

/** How many waiting rows are read at most: in a backlog all of them are late, and nobody needs the whole list. */
const WAITING_READ_AT_MOST = 10_000;

/**
 * Schedules that have been due and unclaimed, or whose claims have not been linked, for longer than `lateMilliseconds`:
 * the longest late first.
 */
export async function readLateSchedules(
  store: Store,
  { lateMilliseconds, ...query }: TroubledQuery & { lateMilliseconds: number },
): Promise<Troubled[]> {
  const { now, limit } = query;
  const before = new Date(now.getTime() - lateMilliseconds);
  const { selected, isSelected } = selectionOf(store, query);
  const { rows } = await sql<Troubled>`
    ${selected ? sql`with ${selected}` : sql``}
    select l.schedule_id as "scheduleId", min(l.at) as since, count(*)::int as count from (
      (select t.schedule_id, greatest(t.wake_at, t.next_fire_at) as at from ${store.table('timers')} t
        where t.wake_at <= ${before} and t.next_fire_at <= ${before} and ${isSelected} order by t.wake_at limit ${WAITING_READ_AT_MOST})
      union all
      (select f.schedule_id, greatest(f.ready_at, f.scheduled_time) as at from ${store.table('firings')} f
        where ${IS_WAITING} and f.ready_at <= ${before} and f.scheduled_time <= ${before} and ${isSelected} limit ${WAITING_READ_AT_MOST})
      union all
      (select f.schedule_id, f.scheduled_time from ${store.table('firings')} f
        where f.state = 'claimed' and f.first_attempted_at is not null and f.scheduled_time <= ${before} and ${isSelected} limit ${WAITING_READ_AT_MOST})) l
    group by l.schedule_id order by since, l.schedule_id limit ${limit}`.execute(store.db);
  return rows;
}

/** Schedules that are paused, the latest pause first. */
export async function readPausedSchedules(
  store: Store,
  { limit, ...query }: Omit<TroubledQuery, 'now'>,
): Promise<Troubled[]> {
  const { rows } = await sql<Troubled>`
    select s.schedule_id as "scheduleId", coalesce(s.paused_at, s.updated_at, s.created_at) as since, 1 as count
    from ${store.table('schedules')} s
    where ${and([sql`s.paused`, sql`s.deleted_at is null`, ...scheduleConditions(query)])}
    order by since desc, s.schedule_id limit ${limit}`.execute(store.db);
  return rows;
}
