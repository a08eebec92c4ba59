import { type RawBuilder, sql } from 'kysely';
import type { Progress } from '../../core/decisions/nothing-left';
import type { Store } from '../connection';
import { SPEC_FORMAT } from '../spec-format';
import { isManual } from './schedule-completed';

export const IS_LIVE = sql<boolean>`s.deleted_at is null and not s.paused and s.spec_error is null`;

/**
 * True if a timer `t` has no next time and would never wake again, although its schedule `s` is not completed and does
 * not fire only by hand.
 */
export const isForgotten = (store: Store): RawBuilder<boolean> =>
  sql`t.next_fire_at is null and t.completed_at is null and t.wake_at = 'infinity' and ${IS_LIVE} and not ${isManual(store)}`;

/** The first forgotten timers after this schedule, in the order of their IDs. @param only of these schedules */
export async function readForgottenTimers(
  store: Store,
  { after = '', atMost, only }: { after?: string; atMost: number; only?: string[] },
): Promise<Progress[]> {
  const { rows } = await sql<Progress>`
    select t.schedule_id as "scheduleId", v.spec, t.answered_to as "answeredTo", t.remaining_actions as "remainingActions"
    from ${store.table('timers')} t join ${store.table('schedules')} s using (schedule_id)
      join ${store.table('schedule_versions')} v using (schedule_id, version)
    where t.schedule_id > ${after} and (${only ?? null}::text[] is null or t.schedule_id = any(${only ?? null}::text[]))
      and t.spec_format <= ${SPEC_FORMAT} and ${isForgotten(store)} order by t.schedule_id limit ${atMost}`.execute(
    store.db,
  );
  return rows;
}

/**
 * Record that these schedules are completed, since their last answer. A schedule that has changed in the meantime, or
 * that another transaction keeps locked, stays as it is.
 */
export async function recordCompleted(store: Store, completed: Progress[]): Promise<void> {
  await sql`
    with free as (
      select t.schedule_id from ${store.table('timers')} t join ${store.table('schedules')} s using (schedule_id),
        unnest(${completed.map(({ scheduleId }) => scheduleId)}::text[], ${completed.map(({ answeredTo }) => answeredTo)}::timestamptz[])
          as x (schedule_id, answered_to)
      where t.schedule_id = x.schedule_id and t.answered_to = x.answered_to and ${isForgotten(store)}
      order by t.schedule_id for no key update of t skip locked)
    update ${store.table('timers')} t set completed_at = t.answered_to, seq = t.seq + 1
    from free where t.schedule_id = free.schedule_id`.execute(store.db);
}
