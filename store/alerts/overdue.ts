import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../connection';
import { isManual } from '../schedules/schedule-completed';
import { SCHEDULES_READ_AT_MOST, type Sighting, sightings } from './sighting';

/** How many candidates of each kind are read at most. */
export const OVERDUE_READ_AT_MOST = 200;

/**
 * True if an occurrence's time has passed and the occurrence has no answer. The check of overdue schedules shares no
 * code with the claim pass, so that it also finds errors of the claim pass. A timer that wakes later was postponed, as
 * by jitter or by a tenant's quota, and is not overdue. A timer that never wakes is overdue, even if the schedule
 * counts as completed, unless its last action was taken.
 */
export const isOverdue = (before: Date): RawBuilder<boolean> =>
  sql`t.next_fire_at <= ${before} and t.next_fire_at > t.answered_to and (t.wake_at <= ${before} or t.wake_at = 'infinity')
    and coalesce(t.remaining_actions, 1) > 0`;

/**
 * Selects timers of live schedules that may be overdue; {@link isOverdue} then decides which of them are. Timers that no
 * claim would take, such as those of schedules that are set aside, do not count towards the limits: they stay.
 */
export function mayBeOverdue(store: Store, before: Date): RawBuilder<unknown> {
  const timers = sql`select t.* from ${store.table('timers')} t where exists (
    select from ${store.table('schedules')} s where s.schedule_id = t.schedule_id and ${IS_LIVE} offset 0)`;
  return sql`((${timers} and t.wake_at <= ${before} order by t.wake_at limit ${OVERDUE_READ_AT_MOST})
    union all
    (${timers} and t.next_fire_at <= ${before} and t.wake_at = 'infinity' order by t.next_fire_at limit ${OVERDUE_READ_AT_MOST}))`;
}

export const IS_LIVE = sql<boolean>`s.deleted_at is null and not s.paused and s.spec_error is null`;

/** True if a timer would never wake again although its schedule has further times and is not finished. */
export const isForgotten = (store: Store): RawBuilder<boolean> =>
  sql`t.next_fire_at is null and t.completed_at is null and t.wake_at = 'infinity' and ${IS_LIVE} and not ${isManual(store)}`;

export async function readForgotten(store: Store, { now }: { now: Date }): Promise<Sighting[]> {
  const detail = 'it is not finished, but has no next time, so it would never fire';
  return sightings(
    store,
    'overdue',
    sql`select s.schedule_id, 1 as count, ${now}::timestamptz as at, null::float8 as rule
      from ${store.table('timers')} t join ${store.table('schedules')} s using (schedule_id) where ${isForgotten(store)}`,
    { detail: sql`${detail}::text`, schedulesAtMost: SCHEDULES_READ_AT_MOST },
  );
}

/** @param only the only schedules to read */
export async function readOverdue(
  store: Store,
  { overdueBefore, only }: { overdueBefore: Date; only?: string[] },
): Promise<Sighting[]> {
  const among = only ? sql`t.schedule_id = any(${only}::text[])` : sql`true`;
  const { rows } = await sql<Omit<Sighting, 'condition' | 'count'>>`
    select t.schedule_id as "scheduleId", s.tenant, t.next_fire_at as at
    from (select t.* from ${mayBeOverdue(store, overdueBefore)} t
      where ${isOverdue(overdueBefore)} and ${among}) t
    cross join lateral (select tenant from ${store.table('schedules')} s
      where s.schedule_id = t.schedule_id limit 1) s order by t.next_fire_at`.execute(store.db);
  return rows.map((row) => ({ condition: 'overdue', count: 1, ...row }));
}
