import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../connection';
import { IS_WAITING } from '../firings/waiting';
import { and } from '../text';
import { scheduleConditions } from './firing-filter';

/** A schedule that needs attention, since when, and how large its problem is. */
export interface Troubled {
  scheduleId: string;
  since: Date;
  /**
   * For a failing schedule: how many of its latest ended firings failed in a row. For a late schedule: how many of its
   * claims are late and not linked, and one more if the schedule itself is due. For a paused schedule: 1. In a backlog
   * the count may be lower.
   */
  count: number;
}

export interface TroubledQuery {
  now: Date;
  tenant: string | undefined;
  /** Only schedules whose ID or note contains this text, in upper or lower case. */
  text?: string | undefined;
  limit: number;
}

/**
 * The schedules of a tenant or with a text, as the first table of a statement, and the condition that a row's schedule
 * is among them. For late schedules, the condition is checked before any limit cuts schedules off.
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

/**
 * How many of the newest failures are read: after a bad deploy, all schedules fail at once. A list has at most 1,000
 * schedules, and some of them may have recovered. If more failures were read, the list of a large ledger would take 100
 * ms.
 */
const FAILURES_READ_AT_MOST = 1_200;
/** Failures in a row are counted up to this number. */
const ROW_AT_MOST = 50;
/** This many ended firings of each candidate are read first. If all of them failed, more of its firings are read. */
const FEW_FAILURES = 4;
/** A schedule whose last failure is older than this is not listed, even if it has not fired since. */
const FAILED_SINCE = '30 days';

/**
 * Schedules whose last ended firing failed or was abandoned. With a tenant or a text, `limit` of the schedules that
 * match are checked too, since failures of others may be newer.
 *
 * @returns also whether other schedules that fail may be missing, since not all failures were read
 */
export async function readFailing(
  store: Store,
  { order, ...query }: TroubledQuery & { order: FailingOrder },
): Promise<{ found: Troubled[]; isCut: boolean }> {
  const { now, limit } = query;
  const { selected, isSelected } = selectionOf(store, query);
  // The index `firings_failed` has the same condition.
  const failed = sql`(f.outcome in ('failed', 'timed_out') or f.state = 'abandoned')`;
  // Counts the failures in a row up to the latest ended firing. At most `limit` ended firings are read.
  const failuresInARow = (limit: number) => sql`(
    select count(*)::int as count, min(e.scheduled_time) as since, max(e.scheduled_time) as newest
    from (select e.scheduled_time, bool_and(e.failed) over (order by e.scheduled_time desc) as "isInRow" from (
      select f.scheduled_time, ${failed} as failed from ${store.table('firings')} f
      where f.schedule_id = c.schedule_id and f.scheduled_time <= ${now} and f.state in ('closed', 'abandoned')
      order by f.scheduled_time desc limit ${limit}) e) e where e."isInRow")`;
  const isRecent = (time: RawBuilder<unknown>) =>
    sql`${time} > ${now}::timestamptz - interval '${sql.raw(FAILED_SINCE)}'`;
  const { rows } = await sql<Troubled & { isCut: boolean }>`
    with ${selected ? sql`${selected},` : sql``} newest as materialized (
        select f.schedule_id from ${store.table('firings')} f
        where ${failed} and f.scheduled_time <= ${now} and ${isRecent(sql`f.scheduled_time`)}
        order by f.scheduled_time desc, f.schedule_id desc limit ${FAILURES_READ_AT_MOST}),
      candidates as ((select schedule_id from newest where ${isSelected})
        union (select schedule_id from ${selected ? sql`selected` : sql`newest where false`} limit ${limit})),
      cut as (select (select count(*) from newest) = ${FAILURES_READ_AT_MOST}
        ${selected ? sql`and (select count(*) from selected) > ${limit}` : sql``} as "isCut")
    select r."scheduleId", r.since, r.count, cut."isCut" from cut left join (
      select c.schedule_id as "scheduleId", r.* from candidates c
      cross join lateral ${failuresInARow(FEW_FAILURES)} few
      cross join lateral (select few.* where few.count < ${FEW_FAILURES}
        union all select many.* from ${failuresInARow(ROW_AT_MOST)} many where few.count = ${FEW_FAILURES}) r
      cross join lateral (select from ${store.table('schedules')} s where s.schedule_id = c.schedule_id and s.deleted_at is null limit 1) s
      where ${isRecent(sql`r.newest`)}) r on true
    order by ${order === 'longest' ? sql`r.count desc, r.since` : sql`r.newest desc`}, r."scheduleId" limit ${limit}`.execute(
    store.db,
  );
  return {
    found: rows.flatMap(({ isCut, ...row }) => (row.scheduleId === null ? [] : [row])),
    isCut: rows.some(({ isCut }) => isCut),
  };
}

/** How many late rows of each kind are read. In a backlog one schedule may have all of them. */
const WAITING_READ_AT_MOST = 10_000;
/** In a backlog, how many of each schedule's claims are counted: the list may have 1,000 late schedules. */
const CLAIMS_COUNTED_AT_MOST = 100;

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
  const firings = sql`${store.table('firings')} f`;
  const at = sql`greatest(f.ready_at, f.scheduled_time) as at`;
  // Selects the same claims as the statement below, by a condition that matches the index on open firings.
  const isLateByKey = sql`(f.state in ('buffered', 'claimed', 'linked') and f.state || '' = 'claimed' and f.scheduled_time <= ${before}
    and (f.first_attempted_at is not null or (f.owner is null and f.task_queue is not null and f.ready_at <= ${before})))`;
  // If not all claims were read, the statement also steps from each schedule with such claims to the next.
  const nextAfter = (scheduleId: RawBuilder<unknown>) => sql`(select f.schedule_id from ${firings}
    where ${isLateByKey} and ${isSelected} and f.schedule_id > ${scheduleId} order by f.schedule_id limit 1)`;
  const { rows } = await sql<Troubled>`
    with recursive ${selected ? sql`${selected},` : sql``} waiting as materialized (
        select f.schedule_id, ${at} from ${firings}
        where ${IS_WAITING} and f.ready_at <= ${before} and f.scheduled_time <= ${before} and ${isSelected} limit ${WAITING_READ_AT_MOST}),
      announced as materialized (select f.schedule_id, f.scheduled_time as at from ${firings}
        where f.state = 'claimed' and f.first_attempted_at is not null and f.scheduled_time <= ${before} and ${isSelected}
        limit ${WAITING_READ_AT_MOST}),
      steps as (select ${nextAfter(sql`''`)} as schedule_id
          where ${WAITING_READ_AT_MOST} in ((select count(*) from waiting), (select count(*) from announced))
        union all select ${nextAfter(sql`s.schedule_id`)} from steps s where s.schedule_id is not null),
      claims as (select schedule_id, min(at) as at, count(*)::int as count
          from (select * from waiting union all select * from announced) c group by schedule_id
        union all select s.schedule_id, c.at, c.count from (select schedule_id from steps where schedule_id is not null limit ${limit}) s
        cross join lateral (select min(at) as at, count(*)::int as count from (
          select ${at} from ${firings} where ${isLateByKey} and f.schedule_id = s.schedule_id
          order by f.scheduled_time limit ${CLAIMS_COUNTED_AT_MOST}) c) c)
    select l.schedule_id as "scheduleId", min(l.at) as since, sum(l.count)::int as count from (
      (select t.schedule_id, greatest(t.wake_at, t.next_fire_at) as at, 1 as count from ${store.table('timers')} t
        where t.wake_at <= ${before} and t.next_fire_at <= ${before} and ${isSelected} order by t.wake_at limit ${WAITING_READ_AT_MOST})
      union all
      select c.schedule_id, min(c.at), max(c.count) from claims c group by c.schedule_id) l
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
