import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../connection';
import { instantIn } from '../text';

/**
 * True while the step of a letter `l` waits: nobody has decided about it, or the decision was not announced to a run
 * yet.
 */
export const IS_WAITING: RawBuilder<unknown> = sql`(l.kind = 'parked' and (l.state = 'open'
  or (l.state = 'redriving' and l.redrive ? 'lookAt' and not l.redrive ? 'told')))`;

/** Since when the step of a letter `l` is parked: it may have been parked and redriven before. */
export const PARKED_SINCE: RawBuilder<Date> = sql<Date>`coalesce(${instantIn(sql`l.failed_step`, 'failedAt')}, l.created_at)`;

/**
 * Whether an open firing blocks its schedule. A firing does not block while one of its steps is parked, if the
 * schedule's policy `parkedHolds` is false.
 *
 * @param firing the name or alias of the firings' table in the query
 */
export function holdsSchedule(store: Store, firing: 'f' | 'o' | 'own'): RawBuilder<unknown> {
  return sql`not (${isLetGo(store, firing)} and ${isParked(store, firing)})`;
}

export function isParked(store: Store, firing: 'f' | 'o' | 'own'): RawBuilder<unknown> {
  const of = sql.raw(firing);
  return sql`exists (select from ${store.table('dead_letters')} l
    where l.schedule_id = ${of}.schedule_id and l.scheduled_time = ${of}.scheduled_time and l.epoch = ${of}.epoch
      and ${IS_WAITING})`;
}

/** Whether the current policy of a row's schedule lets the schedule continue while a step is parked. */
function isLetGo(store: Store, row: 'f' | 'o' | 'own'): RawBuilder<unknown> {
  return sql`exists (select from ${store.table('schedules')} s join ${store.table('schedule_versions')} v
      using (schedule_id, version)
    where s.schedule_id = ${sql.raw(row)}.schedule_id and v.policies ->> 'parkedHolds' = 'false')`;
}
