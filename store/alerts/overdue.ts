import { type RawBuilder, sql } from 'kysely';
import { hasNothingLeft } from '../../core/decisions/nothing-left';
import type { Store } from '../connection';
import { IS_LIVE, isForgotten, readForgottenTimers } from '../schedules/forgotten';
import { nextPage, type Page, type Places } from './pages';
import { type AlertQuery, SCHEDULES_READ_AT_MOST, type Sighting, sightings } from './sighting';

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
 * The next page of each of two kinds of timers: those that should have woken, and those that never wake although an
 * occurrence is due. Deleted, paused and set-aside schedules are left out, since no claim answers their occurrences.
 */
export function timersDue(
  store: Store,
  before: Date,
  names: ['overdue', 'overdue_asleep'] | ['not_done_due', 'not_done_asleep'],
  places: Places,
): { pages: Page[]; rows: RawBuilder<unknown> } {
  const timers = sql`${store.table('timers')} f where exists (
    select from ${store.table('schedules')} s where s.schedule_id = f.schedule_id and ${IS_LIVE} offset 0)`;
  const due = nextPage(names[0], places, {
    rows: sql`${timers} and f.wake_at <= ${before}`,
    key: ['wake_at', 'schedule_id'],
    atMost: SCHEDULES_READ_AT_MOST,
  });
  const asleep = nextPage(names[1], places, {
    rows: sql`${timers} and f.next_fire_at <= ${before} and f.wake_at = 'infinity'`,
    key: ['next_fire_at', 'schedule_id'],
    atMost: SCHEDULES_READ_AT_MOST,
  });
  return { pages: [due, asleep], rows: sql`(select * from ${due.rows} d union all select * from ${asleep.rows} a)` };
}

/** How many specs are compiled at once. */
const COMPILED_AT_ONCE = 20;

export async function readForgotten(store: Store, { now }: { now: Date }): Promise<Sighting[]> {
  const detail = 'it is not finished, but has no next time, so it would never fire';
  const found = await sightings(
    store,
    'overdue',
    sql`select s.schedule_id, 1 as count, ${now}::timestamptz as at, null::float8 as rule
      from ${store.table('timers')} t join ${store.table('schedules')} s using (schedule_id)
      where coalesce(t.remaining_actions, 1) > 0 and ${isForgotten(store)}`,
    { detail: sql`${detail}::text`, schedulesAtMost: SCHEDULES_READ_AT_MOST },
  );
  const forgotten: Sighting[] = [];
  for (let from = 0; from < found.length; from += COMPILED_AT_ONCE) {
    const some = found.slice(from, from + COMPILED_AT_ONCE);
    const only = some.map(({ scheduleId }) => scheduleId);
    const timers = await readForgottenTimers(store, { only, atMost: COMPILED_AT_ONCE });
    const left = new Set(timers.filter((timer) => !hasNothingLeft(timer)).map(({ scheduleId }) => scheduleId));
    forgotten.push(...some.filter(({ scheduleId }) => left.has(scheduleId)));
  }
  return forgotten;
}

/**
 * Reads the next page of overdue schedules. @param places receives the place where the following page begins, if there
 * is one
 */
export async function readOverdue(
  store: Store,
  { overdueBefore, places }: Pick<AlertQuery, 'overdueBefore' | 'places'>,
): Promise<Sighting[]> {
  const { pages, rows } = timersDue(store, overdueBefore, ['overdue', 'overdue_asleep'], places);
  return sightings(store, 'overdue', overdueAmong(rows, overdueBefore), { places, pages });
}

export async function readStillOverdue(
  store: Store,
  { overdueBefore, only }: Pick<AlertQuery, 'overdueBefore'> & { only: Pick<Sighting, 'scheduleId'>[] },
): Promise<Sighting[]> {
  const scheduleIds = only.map(({ scheduleId }) => scheduleId);
  const timers = sql`(select t.* from ${store.table('timers')} t join ${store.table('schedules')} s using (schedule_id)
    where t.schedule_id = any(${scheduleIds}::text[]) and ${IS_LIVE})`;
  return sightings(store, 'overdue', overdueAmong(timers, overdueBefore));
}

function overdueAmong(timers: RawBuilder<unknown>, before: Date): RawBuilder<unknown> {
  return sql`select t.schedule_id, 1 as count, t.next_fire_at as at, null::float8 as rule
    from ${timers} t where ${isOverdue(before)}`;
}
