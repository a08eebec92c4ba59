import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../connection';
import { type AlertQuery, type Sighting, sightings } from './sighting';

/** Occurrences that will not fire though nobody wanted that, and starts that were given up. */
export async function readMissed(store: Store, { from }: AlertQuery): Promise<Sighting[]> {
  return sightings(
    store,
    'missed',
    sql`select schedule_id, least(sum(count), 2147483647)::int as count, max(at) as at from (
        select schedule_id, count, recorded_at as at from ${store.table('gaps')} g where recorded_at > ${from}
          and reason in ('outside_catchup_window', 'over_catchup_limit', 'outside_retention')
        union all
        select schedule_id, 1, created_at from ${store.table('dead_letters')} l where ${isNew(from)} and kind = 'start') m
      group by schedule_id`,
  );
}

export async function readFailing(store: Store, { from, failing }: AlertQuery): Promise<Sighting[]> {
  return sightings(
    store,
    'failing',
    sql`select l.schedule_id, e.count, e.at from (
        select distinct schedule_id from ${store.table('dead_letters')} l where ${isNew(from)} and kind = 'workflow') l
      cross join lateral (
        select count(*)::int as count, min(scheduled_time) as at from (
          select outcome, scheduled_time from ${store.table('firings')} f where f.schedule_id = l.schedule_id
            and f.state = 'closed' and f.outcome in ('completed', 'failed', 'timed_out')
          order by f.scheduled_time desc limit ${failing}) x where x.outcome <> 'completed') e
      where e.count = ${failing}`,
  );
}

export async function readLettered(store: Store, { from }: AlertQuery): Promise<Sighting[]> {
  return sightings(
    store,
    'dead_letter',
    sql`select schedule_id, count(*)::int as count, max(created_at) as at from ${store.table('dead_letters')} l
      where l.state = 'open' and l.created_at > ${from} group by schedule_id`,
  );
}

/** Steps that have waited for a person for long by now: their letters have come to that age since the last pass. */
export async function readParked(store: Store, { now, from, parkedBefore }: AlertQuery): Promise<Sighting[]> {
  const age = now.getTime() - parkedBefore.getTime();
  return sightings(
    store,
    'parked',
    sql`select schedule_id, count(*)::int as count, max(created_at) as at from ${store.table('dead_letters')} l
      where l.state = 'open' and l.kind = 'parked' and l.created_at > ${new Date(from.getTime() - age)}
        and l.created_at <= ${parkedBefore} group by schedule_id`,
  );
}

/** Letters of every state, by the index on state and time. */
function isNew(from: Date): RawBuilder<boolean> {
  return sql`l.state in ('open', 'redriving', 'resolved', 'discarded') and l.created_at > ${from}`;
}
