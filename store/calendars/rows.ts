import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../connection';
import { isManual } from '../schedules/schedule-completed';
import { objectOf } from '../text';

/** The key of a calendar: each tenant has its own calendars. */
export interface CalendarKey {
  /** The calendar's tenant; empty for a calendar of no tenant. */
  tenant: string;
  name: string;
}

export interface CalendarRow extends CalendarKey {
  /** The dates in order, separated by spaces, as in `spec.calendarDays`. */
  days: string;
  /** Names for some of the days, by date. */
  labels: Record<string, string>;
  actor: string;
  createdAt: Date;
  updatedAt: Date;
}

/** A calendar, with the number of live schedules that use it. */
export interface CalendarUse extends CalendarRow {
  schedules: number;
  /** How many of these schedules still have an older copy of the calendar's days. */
  behind: number;
}

const COLUMNS = sql<CalendarRow>`c.tenant, c.name, c.days, ${objectOf(sql`c.labels`)} as labels, c.actor, c.created_at as "createdAt", c.updated_at as "updatedAt"`;

export async function readCalendars(store: Store, keys: CalendarKey[]): Promise<CalendarRow[]> {
  const { rows } = await sql<CalendarRow>`select ${COLUMNS} from ${store.table('calendars')} c
    join ${keysTable(keys)} as k (tenant, name) using (tenant, name)`.execute(store.db);
  return rows;
}

/** Like {@link readCalendars}, but locks the calendars: nobody changes or deletes them until the transaction ends. */
export async function holdCalendars(transaction: Store, keys: CalendarKey[]): Promise<CalendarRow[]> {
  if (keys.length === 0) return [];
  // Calendars are locked in a fixed order, so that two transactions cannot deadlock.
  const { rows } = await sql<CalendarRow>`select ${COLUMNS} from ${transaction.table('calendars')} c
    where (c.tenant, c.name) in (select k.tenant, k.name from ${keysTable(keys)} as k (tenant, name))
    order by c.tenant, c.name for share`.execute(transaction.db);
  return rows;
}

export async function readCalendarNames(store: Store, tenant: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select c.name from ${store.table('calendars')} c
    where c.tenant = ${tenant} order by c.name limit 1000`.execute(store.db);
  return rows.map(({ name }) => name);
}

export async function writeCalendar(
  transaction: Store,
  { tenant, name, days, labels }: Pick<CalendarRow, 'tenant' | 'name' | 'days' | 'labels'>,
  { actor, now }: { actor: string; now: Date },
): Promise<CalendarRow> {
  const { rows } = await sql<CalendarRow>`
    insert into ${transaction.table('calendars')} as c (tenant, name, days, labels, actor, created_at, updated_at)
    values (${tenant}, ${name}, ${days}, ${JSON.stringify(labels)}::jsonb, ${actor}, ${now}, ${now})
    on conflict (tenant, name) do update set days = excluded.days, labels = excluded.labels, actor = excluded.actor,
      updated_at = excluded.updated_at
    returning ${COLUMNS}`.execute(transaction.db);
  return rows[0]!;
}

export async function lockCalendar(
  transaction: Store,
  { tenant, name }: CalendarKey,
): Promise<CalendarRow | undefined> {
  const { rows } = await sql<CalendarRow>`select ${COLUMNS} from ${transaction.table('calendars')} c
    where c.tenant = ${tenant} and c.name = ${name} for update`.execute(transaction.db);
  return rows[0];
}

/** Calendar → ∅. The caller must have locked the calendar's row. */
export async function deleteCalendar(transaction: Store, { tenant, name }: CalendarKey): Promise<void> {
  await sql`delete from ${transaction.table('calendars')} where tenant = ${tenant} and name = ${name}`.execute(
    transaction.db,
  );
}

export async function readCalendarUses(
  store: Store,
  { tenant, name }: { tenant: string | undefined; name?: string | undefined },
  limit: number,
): Promise<CalendarUse[]> {
  const { rows } = await sql<CalendarUse>`
    with uses as materialized (${usesOf(store, { tenant, name })})
    select ${COLUMNS}, count(u.schedule_id)::int as schedules,
      (count(u.schedule_id) filter (where u.days <> c.days))::int as behind
    from ${store.table('calendars')} c left join uses u on u.tenant = c.tenant and u.name = c.name
    where ${tenant === undefined ? sql`true` : sql`c.tenant = ${tenant}`} and ${name === undefined ? sql`true` : sql`c.name = ${name}`}
    group by c.tenant, c.name order by c.name, c.tenant limit ${limit}`.execute(store.db);
  return rows;
}

export interface EndingCalendar extends CalendarKey {
  /** The calendar's last day; null if it has no days. */
  last: string | null;
  /** How many schedules that may fire name the calendar. */
  schedules: number;
}

/**
 * Calendars that have no days from a date on and that are named by schedules that may fire, the first to end first. A
 * schedule with `onlyDays` that finished after `finishedSince` counts as one that may fire, unless its actions are used
 * up.
 */
export async function readEndingCalendars(
  store: Store,
  { from, finishedSince, limit }: { from: string; finishedSince: Date; limit: number },
): Promise<EndingCalendar[]> {
  const isToFire = sql`(not s.paused or s.paused_until is not null) and not ${isManual(store)} and (t.completed_at is null or
    (t.completed_at > ${finishedSince} and coalesce(t.remaining_actions, 1) > 0 and v.spec -> 'onlyDays' is not null))`;
  const { rows } = await sql<EndingCalendar>`
    select c.tenant, c.name, nullif(right(c.days, ${DATE_LENGTH}), '') as last, count(*)::int as schedules
    from ${store.table('calendars')} c
    join (${usesOf(store, { tenant: undefined, name: undefined }, isToFire)}) u on u.tenant = c.tenant and u.name = c.name
    where right(c.days, ${DATE_LENGTH}) < ${from} group by c.tenant, c.name
    order by right(c.days, ${DATE_LENGTH}), c.name, c.tenant limit ${limit}`.execute(store.db);
  return rows;
}

const DATE_LENGTH = 10;

/** With `unlike`, only schedules whose copy of the calendar's days differs from this text are read. */
export async function readScheduleIdsNaming(
  store: Store,
  key: CalendarKey,
  { behind, size, unlike }: { behind: string; size: number; unlike?: string | undefined },
): Promise<string[]> {
  const { rows } = await sql<{ scheduleId: string }>`
    select u.schedule_id as "scheduleId" from (${usesOf(store, key)}) u
    where u.schedule_id > ${behind} and ${unlike === undefined ? sql`true` : sql`u.days <> ${unlike}`}
    order by u.schedule_id limit ${size}`.execute(store.db);
  return rows.map(({ scheduleId }) => scheduleId);
}

/**
 * Joins each live schedule with each calendar that its definition names. Schedules that may name a calendar are found
 * by the `spec_format` of their timers: 3 for shadow mode, 4 for calendar days, or higher for a newer program.
 *
 * @param also a further condition on the rows `s`, `t` and `v` of the schedule
 */
function usesOf(
  store: Store,
  { tenant, name }: { tenant: string | undefined; name?: string | undefined },
  also: RawBuilder<unknown> = sql`true`,
) {
  return sql`select s.schedule_id, s.tenant, k.name, v.spec -> 'calendarDays' ->> k.name as days
    from ${store.table('timers')} t join ${store.table('schedules')} s using (schedule_id)
    join ${store.table('schedule_versions')} v using (schedule_id, version)
    cross join lateral jsonb_object_keys(${objectOf(sql`v.spec -> 'calendarDays'`)}) as k (name)
    where t.spec_format >= 3 and s.deleted_at is null and ${also}
      and ${tenant === undefined ? sql`true` : sql`s.tenant = ${tenant}`} and ${name === undefined ? sql`true` : sql`k.name = ${name}`}`;
}

function keysTable(keys: CalendarKey[]) {
  return sql`unnest(${keys.map(({ tenant }) => tenant)}::text[], ${keys.map(({ name }) => name)}::text[])`;
}
