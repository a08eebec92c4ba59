import { type RawBuilder, sql } from 'kysely';
import { ALERT_DEFAULTS } from '../../core/alert-defaults';
import type { Store } from '../connection';
import { isManual } from '../schedules/schedule-completed';
import { ruleOf, rulesGiven } from './rules';
import { type AlertQuery, ROWS_READ_AT_MOST, type Sighting, sightings } from './sighting';

/** True for manual firings within the period in which such starts are counted. */
function isUnasked(now: Date): RawBuilder<boolean> {
  return sql`(f.kind = 'manual' and f.scheduled_time > ${new Date(now.getTime() - ALERT_DEFAULTS.startedOftenWithinMilliseconds)})`;
}

/**
 * Finds schedules that fire at times of their own and were also started by hand more often than their alert rule
 * allows.
 */
export async function readStartedOften(
  store: Store,
  { now, rules }: Pick<AlertQuery, 'now' | 'rules'>,
): Promise<Sighting[]> {
  return sightings(
    store,
    'started_often',
    sql`select c.schedule_id, c.count, c.at, null::float8 as rule from (
        select schedule_id, count(*)::int as count, min(scheduled_time) as at from (
          select f.schedule_id, f.scheduled_time from ${store.table('firings')} f where ${isUnasked(now)}
          order by f.scheduled_time desc limit ${ROWS_READ_AT_MOST}) f group by schedule_id) c
      cross join lateral ${rulesGiven(store, sql`c.schedule_id`)} r
      where c.count > ${ruleOf('startedOften', rules)} and exists (
        select from ${store.table('schedules')} s where s.schedule_id = c.schedule_id and not ${isManual(store)} offset 0)`,
  );
}

/** True if the schedule of an alert `a` is no longer started by hand too often, by its alert rules `r`. */
export function isStartedSeldom(store: Store, { now, rules }: Pick<AlertQuery, 'now' | 'rules'>): RawBuilder<boolean> {
  return sql`coalesce((select count(*) from ${store.table('firings')} f where f.schedule_id = a.schedule_id and ${isUnasked(now)})
    <= ${ruleOf('startedOften', rules)}, true)`;
}
