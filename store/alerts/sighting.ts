import { type RawBuilder, sql } from 'kysely';
import type { RulesInForce, ScheduleCondition } from '../../core/alert-defaults';
import type { Store } from '../connection';
import type { TriggerReports } from '../trigger-reports';
import { keepPlaces, type Page, type Places } from './pages';

export interface Sighting {
  condition: ScheduleCondition;
  scheduleId: string;
  tenant: string;
  /**
   * The number of firings, occurrences or letters in this condition; for `recovered`, how often a firing was taken
   * over. With `ofSchedule`, if a page may have only some rows of a schedule, all its rows are counted, up to {@link
   * COUNTED_AT_MOST}.
   */
  count: number;
  /**
   * The first nominal time in this condition. For letters, gaps, recoveries and definitions: the instant of the latest
   * one. For a schedule without a next time: now.
   */
  at: Date;
  /** A text about the problem, if a row contains one. */
  detail?: string | null;
  /** The limit that was exceeded, in milliseconds, if the limit is a duration. */
  rule?: number | null;
}

export interface AlertQuery {
  now: Date;
  /** Earlier passes have read everything that was written before `from`, except what `places` has yet to read. */
  from: Date;
  /** Whether this is the first alert pass of this minute: the expensive reads run only then. */
  isNewMinute: boolean;
  overdueBefore: Date;
  /** The rules for all schedules. Each applies to the schedules that do not set this rule themselves. */
  rules: RulesInForce;
  /** The schedules that a freeze holds, of those that `readFrozen` reads. */
  frozen: string[];
  /** Problems that triggers have reported for long enough to raise alerts. */
  reports: TriggerReports;
  /** The time since the last alert pass; undefined if it was short. */
  unseenMilliseconds: number | undefined;
  /** The ID of the alert `no_trigger` about that time. */
  unseenAlertId: string;
  /**
   * How many schedules to read for a condition that lasts. Schedules without an open alert come first, and among these
   * the earliest `at`. If all schedules are late, each pass opens at most this many alerts of the condition.
   */
  schedulesAtMost: number;
  /** Where the reads in pages continue. Each read writes its new place here. */
  places: Places;
}

/**
 * If an alert was last seen further ahead than this, its time was written before the clock was set back, and does not
 * count.
 */
const AHEAD_AT_MOST_MILLISECONDS = 60_000;

/** The latest instant at which an alert may have been last seen. */
export function latestSeen(now: Date): Date {
  return new Date(now.getTime() + AHEAD_AT_MOST_MILLISECONDS);
}

/** How many schedules, or calendars, a read returns at most. */
export const SCHEDULES_READ_AT_MOST = 1_000;
/** How many firings, gaps or letters a read looks at, in the order of an index. */
export const ROWS_READ_AT_MOST = 20_000;
/** How many rows of a schedule are counted, if a page may have only some of them. */
export const COUNTED_AT_MOST = 1_000;

interface HowSeen extends Partial<Pick<AlertQuery, 'schedulesAtMost' | 'places'>> {
  /** A further column to read. @default null */
  detail?: RawBuilder<string | null>;
  /** The pages among which the rows were looked for. Their ends become the new `places`. @default none */
  pages?: Page[];
  /**
   * `at` and `detail` of all rows of schedule `x.schedule_id` by its rule `x.rule`. They are counted if the pages may
   * have only some of these rows, since otherwise an alert would change from page to page.
   */
  ofSchedule?: RawBuilder<unknown>;
  /** Which time of these rows counts. @default 'min' */
  at?: 'min' | 'max';
}

/**
 * The rows of `found` whose schedules still exist. Their columns are `schedule_id`, `count`, `at` and `rule`.
 *
 * @param how.schedulesAtMost the default is all. A condition that one write begins has no limit, since no later pass
 * reads that write again
 */
export async function sightings(
  store: Store,
  condition: ScheduleCondition,
  found: RawBuilder<unknown>,
  { detail = sql<string | null>`null::text`, schedulesAtMost, pages = [], places = {}, ofSchedule, at }: HowSeen = {},
): Promise<Sighting[]> {
  const ends = sql`jsonb_build_object(${sql.join(pages.flatMap(({ name, end }) => [sql`${name}::text`, end]))})`;
  const some = sql`select x.schedule_id, s.tenant, x.count, x.at, x.rule, ${detail} as detail from (${found}) x
    cross join lateral (select tenant from ${store.table('schedules')} s
      where s.schedule_id = x.schedule_id and s.deleted_at is null limit 1) s
    order by ${schedulesAtMost === undefined ? sql`` : sql`${hasAlert(store, condition)},`} x.at, x.schedule_id
    limit ${schedulesAtMost ?? null}`;
  const isPart = pages.every(({ isFirst }) => isFirst) ? sql`(select places <> '{}' from ends)` : sql`true`;
  const { rows } = await sql<Omit<Sighting, 'condition'> & { places: Places }>`
    with ends as materialized (select jsonb_strip_nulls(${ends}) as places)
    select e.places, x.schedule_id as "scheduleId", x.tenant, x.count, x.at, x.rule, x.detail
    from ends e left join (${ofSchedule ? counted(some, ofSchedule, isPart, at) : some}) x on true order by x.at, x.schedule_id`.execute(
    store.db,
  );
  keepPlaces(places, pages, rows[0]!.places);
  return rows.flatMap(({ places: _, ...row }) => (row.scheduleId === null ? [] : [{ condition, ...row }]));
}

/** Sightings with the count, time and detail of all rows of their schedules, if `isPart` is true. */
function counted(
  some: RawBuilder<unknown>,
  rows: RawBuilder<unknown>,
  isPart: RawBuilder<unknown>,
  at: 'min' | 'max' = 'min',
): RawBuilder<unknown> {
  const order = at === 'min' ? sql`asc` : sql`desc`;
  const of = (column: 'count' | 'at' | 'detail') =>
    sql`case when ${isPart} then ${sql.ref(`w.${column}`)} else ${sql.ref(`x.${column}`)} end as ${sql.ref(column)}`;
  return sql`select x.schedule_id, x.tenant, ${of('count')}, ${of('at')}, x.rule, ${of('detail')} from (${some}) x
    cross join lateral (
      select count(*)::int as count, ${sql.raw(at)}(w.at) as at, string_agg(distinct w.detail, ' ') as detail
      from (select * from (${rows}) w where ${isPart} order by at ${order} limit ${COUNTED_AT_MOST}) w) w`;
}

/** Whether schedule `x` already has an open alert of this condition. Such schedules are sorted last. */
function hasAlert(store: Store, condition: ScheduleCondition): RawBuilder<boolean> {
  return sql`exists (select from ${store.table('alerts')} a
    where a.condition = ${condition} and a.subject = x.schedule_id and a.resolved_at is null)`;
}
