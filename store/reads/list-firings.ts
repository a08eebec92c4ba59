import { type RawBuilder, sql } from 'kysely';
import type { FiringKey, FiringState } from '../../core/firing';
import type { Store } from '../connection';
import { and } from '../text';
import { type FiringFilter, scheduleConditions, versionConditions } from './firing-filter';
import { FIRING_COLUMNS, type Firing } from './read-firings';

/**
 * `newest`: the latest nominal time first. `oldest`: the earliest first. Firings with the same time are ordered by
 * schedule ID, in the same direction.
 */
export type FiringOrder = 'newest' | 'oldest';

export interface FiringPage {
  order: FiringOrder;
  cursor?: FiringKey | undefined;
  size: number;
}

/**
 * If a filter selects at most this many schedules, firings are read schedule by schedule. Otherwise all firings are
 * searched.
 */
const FEW = 300;
const AT_REST: readonly FiringState[] = ['buffered', 'closed', 'skipped', 'abandoned'];
const ON_THEIR_WAY: readonly FiringState[] = ['claimed', 'linked'];

export async function readFiringsPage(store: Store, filter: FiringFilter, page: FiringPage): Promise<Firing[]> {
  const few = filter.scheduleId === undefined ? await fewSchedules(store, filter) : [filter.scheduleId];
  const keys = few ? keysOfSchedules(store, few, filter, page) : keysOfAll(store, filter, page);
  const { rows } = await sql<Firing>`
    select ${FIRING_COLUMNS} from (${keys}) k cross join lateral (
      select * from ${store.table('firings')} f
      where f.schedule_id = k.key_id and f.scheduled_time = k.key_time) f
    order by ${inOrder(page, 'key_time', 'key_id')}`.execute(store.db);
  return rows;
}

/** Deleted schedules are included. The result is undefined if the filter selects many schedules or all. */
async function fewSchedules(store: Store, filter: FiringFilter): Promise<string[] | undefined> {
  const [schedule, version] = [scheduleConditions(filter), versionConditions(filter)];
  if (schedule.length + version.length === 0) return undefined;
  // If the filter has conditions on the version, schedules are found along the index of the version's fields.
  const candidates =
    version.length > 0
      ? sql`select distinct v.schedule_id as "scheduleId" from ${store.table('schedule_versions')} v
          where ${and([...version, ...ofSchedule(store, filter, sql`v.schedule_id`)])}`
      : sql`select s.schedule_id as "scheduleId" from ${store.table('schedules')} s where ${and(schedule)}`;
  const { rows } = await sql<{ scheduleId: string }>`${candidates} limit ${FEW + 1}`.execute(store.db);
  return rows.length > FEW ? undefined : rows.map((row) => row.scheduleId);
}

/** The keys of the firings of these schedules, read schedule by schedule along the primary key. */
function keysOfSchedules(store: Store, scheduleIds: string[], filter: FiringFilter, page: FiringPage) {
  const conditions = [sql`f.schedule_id = x.schedule_id`, ...conditionsOf(filter, page), ...ofOthers(store, filter)];
  return sql`select k.* from unnest(${scheduleIds}::text[]) as x (schedule_id) cross join lateral (
      select f.schedule_id as key_id, f.scheduled_time as key_time from ${store.table('firings')} f
      where ${and(conditions)} order by ${inOrder(page, 'scheduled_time')} limit ${page.size}) k
    order by ${inOrder(page, 'key_time', 'key_id')} limit ${page.size}`;
}

/**
 * The keys of all firings. Buffered and finished firings are read along an index in the order of time; claimed and
 * linked firings are sorted.
 */
function keysOfAll(store: Store, filter: FiringFilter, page: FiringPage) {
  const wanted = filter.state === undefined ? undefined : [filter.state].flat();
  const wants = (states: readonly FiringState[]) => wanted?.some((state) => states.includes(state)) ?? true;
  const [firings, conditions, others] = [store.table('firings'), conditionsOf(filter, page), ofOthers(store, filter)];
  const halves: RawBuilder<unknown>[] = [];
  if (wants(AT_REST)) {
    halves.push(sql`(select f.schedule_id as key_id, f.scheduled_time as key_time from ${firings} f
      where ${and([among(AT_REST), ...conditions, ...others])}
      order by ${inOrder(page, 'scheduled_time', 'schedule_id')} limit ${page.size})`);
  }
  if (wants(ON_THEIR_WAY)) {
    // Firings are sorted first, and `offset 0` preserves that order: so conditions on other tables are checked only
    // until the page is full.
    halves.push(sql`(select f.schedule_id as key_id, f.scheduled_time as key_time from (
        select * from ${firings} f where ${and([among(ON_THEIR_WAY), ...conditions])}
        order by ${inOrder(page, 'scheduled_time', 'schedule_id')} offset 0) f
      where ${and([sql`true`, ...others])}
      order by ${inOrder(page, 'scheduled_time', 'schedule_id')} limit ${page.size})`);
  }
  if (halves.length === 0) return sql`select null as key_id, null::timestamptz as key_time where false`;
  return sql`select * from (${sql.join(halves, sql` union all `)}) k
    order by ${inOrder(page, 'key_time', 'key_id')} limit ${page.size}`;
}

/** The states are written into the statement as constants, so that the planner recognizes the index on these states. */
function among(states: readonly FiringState[]): RawBuilder<unknown> {
  return sql`f.state in (${sql.join(states.map((state) => sql.lit(state)))})`;
}

function inOrder({ order }: FiringPage, ...columns: string[]): RawBuilder<unknown> {
  const direction = order === 'newest' ? sql`desc` : sql`asc`;
  return sql.join(columns.map((column) => sql`${sql.id(column)} ${direction}`));
}

function conditionsOf(filter: FiringFilter, { order, cursor }: FiringPage): RawBuilder<unknown>[] {
  const { from, to, state, outcome, kind, namespace } = filter;
  const conditions = [sql`true`];
  if (from) conditions.push(sql`f.scheduled_time >= ${from}`);
  if (to) conditions.push(sql`f.scheduled_time < ${to}`);
  if (state !== undefined) conditions.push(sql`f.state = any(${[state].flat()})`);
  if (outcome !== undefined) conditions.push(sql`f.outcome = any(${[outcome].flat()})`);
  if (kind !== undefined) conditions.push(sql`f.kind = any(${[kind].flat()})`);
  if (namespace !== undefined) conditions.push(sql`f.namespace = ${namespace}`);
  if (cursor) {
    const { scheduledTime, scheduleId } = cursor;
    const [reaches, behind] = order === 'newest' ? [sql`<=`, sql`<`] : [sql`>=`, sql`>`];
    // Only the first of these conditions lets Postgres leave out whole months.
    conditions.push(sql`f.scheduled_time ${reaches} ${scheduledTime}`);
    conditions.push(sql`(f.scheduled_time, f.schedule_id) ${behind} (${scheduledTime}, ${scheduleId})`);
  }
  return conditions;
}

/**
 * Conditions on a firing's schedule and version. Subqueries check these conditions row by row: for a join, the planner
 * might read both tables as a whole first.
 */
function ofOthers(store: Store, filter: FiringFilter): RawBuilder<unknown>[] {
  const conditions = ofSchedule(store, filter, sql`f.schedule_id`);
  const version = versionConditions(filter);
  if (version.length > 0) {
    conditions.push(sql`(select ${and(version)} from ${store.table('schedule_versions')} v
      where v.schedule_id = f.schedule_id and v.version = f.schedule_version)`);
  }
  return conditions;
}

function ofSchedule(store: Store, filter: FiringFilter, scheduleId: RawBuilder<unknown>): RawBuilder<unknown>[] {
  const conditions = scheduleConditions(filter);
  if (conditions.length === 0) return [];
  return [sql`(select ${and(conditions)} from ${store.table('schedules')} s where s.schedule_id = ${scheduleId})`];
}
