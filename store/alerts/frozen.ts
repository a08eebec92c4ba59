import { sql } from 'kysely';
import type { Store } from '../connection';
import { readFreezesOf } from '../freezes/matching';
import { isNotDoneAsked, openPages } from './open-sightings';
import { pageAt } from './pages';
import type { AlertQuery } from './sighting';

/**
 * Of the schedules with buffered firings on the next page, or with an open alert `not_done`, those that a freeze holds
 * now.
 */
export async function readFrozen(
  store: Store,
  { now, rules, places }: Pick<AlertQuery, 'now' | 'rules' | 'places'>,
): Promise<string[]> {
  const page = pageAt(places.not_done, openPages(store, rules));
  const { rows } = await sql<{ scheduleId: string; tenant: string }>`
    select s.schedule_id as "scheduleId", s.tenant from ${store.table('schedules')} s
    where ${isNotDoneAsked(store, rules)}
      and exists (select from ${store.table('freezes')} z where z.from_time <= ${now} and z.to_time > ${now} and z.ended_at is null)
      and s.schedule_id in (
      select f.schedule_id from ${page} f where f.state = 'buffered'
      union all
      select a.schedule_id from ${store.table('alerts')} a where a.condition = 'not_done' and a.resolved_at is null)`.execute(
    store.db,
  );
  const schedules = rows.map((row) => ({ ...row, since: now }));
  return [...(await readFreezesOf(store, schedules, now)).keys()];
}
