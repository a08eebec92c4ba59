import { type RawBuilder, sql } from 'kysely';
import { ALERT_DEFAULTS } from '../../core/alert-defaults';
import type { Store } from '../connection';
import { isManual } from '../schedules/schedule-completed';
import { nextPage } from './pages';
import { ruleOf, rulesGiven } from './rules';
import { type AlertQuery, ROWS_READ_AT_MOST, type Sighting, sightings } from './sighting';

function isUnasked(now: Date): RawBuilder<boolean> {
  return sql`(f.kind = 'manual' and f.scheduled_time > ${new Date(now.getTime() - ALERT_DEFAULTS.startedOftenWithinMilliseconds)})`;
}

/** Schedules that fire only by hand are left out. */
export async function readStartedOften(
  store: Store,
  { now, rules, places }: Pick<AlertQuery, 'now' | 'rules' | 'places'>,
): Promise<Sighting[]> {
  const page = nextPage('started_often', places, {
    rows: sql`${store.table('firings')} f where f.kind = 'manual'`,
    from: isUnasked(now),
    key: ['scheduled_time', 'schedule_id'],
    atMost: ROWS_READ_AT_MOST,
  });
  return sightings(
    store,
    'started_often',
    sql`select p.schedule_id, c.count, c.at, null::float8 as rule from (select distinct schedule_id from ${page.rows} f) p
      cross join lateral ${rulesGiven(store, sql`p.schedule_id`)} r
      cross join lateral (select count(*)::int as count, min(scheduled_time) as at from (
        select f.scheduled_time from ${store.table('firings')} f where f.schedule_id = p.schedule_id and ${isUnasked(now)}
        order by f.scheduled_time desc limit ${ROWS_READ_AT_MOST}) f) c
      where c.count > ${ruleOf('startedOften', rules)} and exists (
        select from ${store.table('schedules')} s where s.schedule_id = p.schedule_id and not ${isManual(store)} offset 0)`,
    { places, pages: [page] },
  );
}

/** True if the schedule of an alert `a` is no longer started by hand too often, by its alert rules `r`. */
export function isStartedSeldom(store: Store, { now, rules }: Pick<AlertQuery, 'now' | 'rules'>): RawBuilder<boolean> {
  return sql`coalesce((select count(*) from ${store.table('firings')} f where f.schedule_id = a.schedule_id and ${isUnasked(now)})
    <= ${ruleOf('startedOften', rules)}, true)`;
}
