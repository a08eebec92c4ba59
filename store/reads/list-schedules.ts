import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../connection';
import { and, objectOf } from '../text';
import { type ScheduleRow, selectSchedules } from './read-schedules';
import { type CheckedScheduleFilter, scheduleConditions } from './schedule-filter';

/**
 * With `scheduleId`, schedules are listed by ID. With `nextFireAt`, the schedule that fires next comes first, and
 * schedules without a next time come last; schedules with the same time are listed by ID.
 */
export type ScheduleOrder = 'scheduleId' | 'nextFireAt';

export type ScheduleCursor = Pick<ScheduleRow, 'scheduleId' | 'nextFireAt'>;

export interface SchedulePageRequest {
  order: ScheduleOrder;
  cursor?: ScheduleCursor | undefined;
  size: number;
}

/**
 * Up to this many matching schedules are read and sorted; if there are more, schedules are read in order until a page
 * is full.
 */
const FEW = 1_000;

export async function readSchedulesPage(
  store: Store,
  filter: CheckedScheduleFilter,
  page: SchedulePageRequest,
): Promise<ScheduleRow[]> {
  const few = await fewSchedules(store, filter);
  if (few) return readAmong(store, few, filter, page);
  const { order, cursor, size } = page;
  if (order === 'scheduleId') return readKeys(store, keysById(store, filter, page), page);

  // Two reads, each along an index: a single condition for both parts could not use the index.
  const coming =
    cursor?.nextFireAt === null
      ? []
      : await readKeys(store, keysByTime(store, filter, comingBehind(cursor), size), page);
  if (coming.length === size) return coming;
  const sleeping = sleepingBehind(cursor?.nextFireAt === null ? cursor.scheduleId : undefined);
  const others = await readKeys(store, keysByTime(store, filter, sleeping, size - coming.length), page);
  return [...coming, ...others];
}

/** The IDs of the schedules that pass the conditions on schedule and version; undefined if they are many or all. */
async function fewSchedules(store: Store, filter: CheckedScheduleFilter): Promise<string[] | undefined> {
  const { schedule, version } = scheduleConditions(store, filter);
  // A filter for unpaused schedules alone is expected to select most of them.
  const isSelective = schedule.length + version.length > (filter.paused === false ? 1 : 0);
  if (!isSelective) return undefined;
  const conditions = and([sql`s.deleted_at is null`, ...schedule]);
  // If the filter has conditions on the version, schedules are found along the index of the version's fields.
  const candidates =
    version.length > 0
      ? sql`select distinct v.schedule_id as "scheduleId" from ${store.table('schedule_versions')} v
          where ${and(version)} and (select v.version = s.version and ${conditions} from ${store.table('schedules')} s
            where s.schedule_id = v.schedule_id)`
      : sql`select s.schedule_id as "scheduleId" from ${store.table('schedules')} s where ${conditions}`;
  const { rows } = await sql<{ scheduleId: string }>`${candidates} limit ${FEW + 1}`.execute(store.db);
  return rows.length > FEW ? undefined : rows.map((row) => row.scheduleId);
}

async function readAmong(
  store: Store,
  scheduleIds: string[],
  filter: CheckedScheduleFilter,
  page: SchedulePageRequest,
) {
  const { schedule, timer, version, both } = scheduleConditions(store, filter);
  const conditions = [sql`s.schedule_id = any(${scheduleIds})`, sql`s.deleted_at is null`, behind(page)];
  const { rows } = await sql<ScheduleRow>`${selectSchedules(store)}
    where ${and([...conditions, ...schedule, ...timer, ...version, ...both])}
    order by ${inOrder(page)} limit ${page.size}`.execute(store.db);
  return rows;
}

/**
 * The keys are read first, along one index: for a join, the planner might read all tables before it returns the first
 * row.
 */
async function readKeys(store: Store, keys: RawBuilder<unknown>, page: SchedulePageRequest): Promise<ScheduleRow[]> {
  const { rows } = await sql<ScheduleRow>`${selectSchedules(store)} join (${keys}) k using (schedule_id)
    order by ${inOrder(page)}`.execute(store.db);
  return rows;
}

function keysById(store: Store, filter: CheckedScheduleFilter, page: SchedulePageRequest): RawBuilder<unknown> {
  const { schedule, timer, both } = scheduleConditions(store, filter);
  const conditions = [sql`s.deleted_at is null`, ...schedule, behind(page)];
  if (timer.length + both.length > 0) {
    conditions.push(sql`(select ${and([...timer, ...both])} from ${store.table('timers')} t
      where t.schedule_id = s.schedule_id)`);
  }
  return sql`select s.schedule_id from ${store.table('schedules')} s
    where ${and([...conditions, ...currentVersion(store, filter)])} order by s.schedule_id limit ${page.size}`;
}

function keysByTime(store: Store, filter: CheckedScheduleFilter, position: RawBuilder<unknown>, size: number) {
  const { schedule, timer, both } = scheduleConditions(store, filter);
  const conditions = [sql`s.deleted_at is null`, ...schedule, ...both, ...currentVersion(store, filter)];
  return sql`select t.schedule_id from ${store.table('timers')} t
    where ${and([position, ...timer])} and (select ${and(conditions)} from ${store.table('schedules')} s
      where s.schedule_id = t.schedule_id)
    order by t.next_fire_at, t.schedule_id limit ${size}`;
}

function currentVersion(store: Store, filter: CheckedScheduleFilter): RawBuilder<unknown>[] {
  const { version } = scheduleConditions(store, filter);
  if (version.length === 0) return [];
  return [
    sql`(select ${and(version)} from ${store.table('schedule_versions')} v
      where v.schedule_id = s.schedule_id and v.version = s.version)`,
  ];
}

function inOrder({ order }: SchedulePageRequest): RawBuilder<unknown> {
  return order === 'scheduleId' ? sql`s.schedule_id` : sql`t.next_fire_at nulls last, s.schedule_id`;
}

function behind({ order, cursor }: SchedulePageRequest): RawBuilder<unknown> {
  if (!cursor) return sql`true`;
  if (order === 'scheduleId') return sql`s.schedule_id > ${cursor.scheduleId}`;
  if (cursor.nextFireAt === null) return sleepingBehind(cursor.scheduleId);
  return sql`(${comingBehind(cursor)} or t.next_fire_at is null)`;
}

function comingBehind(cursor: ScheduleCursor | undefined): RawBuilder<unknown> {
  if (!cursor) return sql`t.next_fire_at is not null`;
  return sql`(t.next_fire_at, t.schedule_id) > (${cursor.nextFireAt}::timestamptz, ${cursor.scheduleId})`;
}

function sleepingBehind(scheduleId: string | undefined): RawBuilder<unknown> {
  return scheduleId === undefined
    ? sql`t.next_fire_at is null`
    : sql`t.next_fire_at is null and t.schedule_id > ${scheduleId}`;
}

/**
 * The given names that are not a search attribute of any schedule of the tenant. If a name is unknown, up to 200
 * existing attributes are returned too.
 */
export async function unknownAttributes(
  store: Store,
  names: string[],
  tenant: string | undefined,
): Promise<{ unknown: string[]; known: string[] }> {
  const schedules = sql`${store.table('schedules')} s where s.search_attributes is not null
    and ${tenant === undefined ? sql`true` : sql`s.tenant = ${tenant}`}`;
  const { rows: missing } = await sql<{ name: string }>`select name from unnest(${names}::text[]) name
    where not exists (select from ${schedules} and s.search_attributes ? name)`.execute(store.db);
  if (missing.length === 0) return { unknown: [], known: [] };
  const { rows } = await sql<{
    name: string;
  }>`select distinct name from (select s.search_attributes from ${schedules} limit 10000) s,
    jsonb_object_keys(${objectOf(sql`s.search_attributes`)}) name order by name limit 200`.execute(store.db);
  return { unknown: missing.map(({ name }) => name), known: rows.map(({ name }) => name) };
}
