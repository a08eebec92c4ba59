import { type RawBuilder, sql } from 'kysely';
import type { RulesInForce } from '../../core/alert-defaults';
import { SHORTEST_RULE_MILLISECONDS } from '../../core/alert-rules';
import type { Store } from '../connection';
import { nextPage } from './pages';
import { millisecondsBetween, ruleOf, rulesGiven } from './rules';
import { type AlertQuery, ROWS_READ_AT_MOST, type Sighting, sightings } from './sighting';

/** Occurrences that will not fire although nobody skipped them on purpose, and starts that were abandoned. */
export async function readMissed(store: Store, { from }: AlertQuery): Promise<Sighting[]> {
  return sightings(
    store,
    'missed',
    sql`select schedule_id, least(sum(count), 2147483647)::int as count, max(at) as at, null::float8 as rule from (
        select schedule_id, count, recorded_at as at from ${store.table('gaps')} g where recorded_at > ${from}
          and reason in ('outside_catchup_window', 'over_catchup_limit', 'outside_retention')
        union all
        select schedule_id, 1, created_at from ${store.table('dead_letters')} l
        where ${IN_ANY_STATE} and created_at > ${from} and kind = 'start') m
      group by schedule_id`,
  );
}

/** @param places without them, everything written since `from` is read at once */
export async function readFailing(
  store: Store,
  { from, rules, places }: Pick<AlertQuery, 'from' | 'rules'> & Partial<Pick<AlertQuery, 'places'>>,
): Promise<Sighting[]> {
  const letters = sql`${store.table('dead_letters')} f where ${IN_ANY_STATE} and f.kind = 'workflow'`;
  const since = sql`f.created_at > ${from}`;
  const page = places
    ? await nextPage(store, 'failing', places, {
        rows: letters,
        from: since,
        key: ['created_at', 'letter_id'],
        atMost: ROWS_READ_AT_MOST,
      })
    : sql`(select f.* from ${letters} and ${since})`;
  return sightings(
    store,
    'failing',
    sql`select l.schedule_id, e.count, e.at, null::float8 as rule from (
        select distinct schedule_id from ${page} f) l
      cross join lateral (select ${ruleOf('failing', rules)}::bigint as most from ${rulesGiven(store, sql`l.schedule_id`)} r) r
      cross join lateral (
        select count(*)::int as count, min(scheduled_time) as at from (
          select outcome, scheduled_time from ${store.table('firings')} f where f.schedule_id = l.schedule_id
            and f.state = 'closed' and f.outcome in ('completed', 'failed', 'timed_out')
          order by f.scheduled_time desc limit coalesce(r.most, 0)) x where x.outcome <> 'completed') e
      where e.count = r.most`,
  );
}

export async function readLettered(store: Store, { from }: AlertQuery): Promise<Sighting[]> {
  return sightings(
    store,
    'dead_letter',
    sql`select schedule_id, count(*)::int as count, max(created_at) as at, null::float8 as rule from ${store.table('dead_letters')} l
      where l.state = 'open' and l.created_at > ${from} group by schedule_id`,
  );
}

/** True if a letter `l` is about a step that has been parked too long, by the rules `r` of its schedule. */
export function isParkedLong(now: Date, rules: RulesInForce): RawBuilder<boolean> {
  return sql`(l.kind = 'parked' and ${millisecondsBetween(sql`l.created_at`, now)} >= ${ruleOf('parked', rules)})`;
}

export async function readParked(
  store: Store,
  { now, rules, schedulesAtMost, places }: AlertQuery,
): Promise<Sighting[]> {
  const before = new Date(now.getTime() - SHORTEST_RULE_MILLISECONDS);
  const page = await nextPage(store, 'parked', places, {
    rows: sql`${store.table('dead_letters')} f where f.state = 'open' and f.kind = 'parked' and f.created_at <= ${before}`,
    key: ['created_at', 'letter_id'],
    atMost: ROWS_READ_AT_MOST,
  });
  return sightings(
    store,
    'parked',
    sql`select l.schedule_id, count(*)::int as count, max(l.created_at) as at, max(${ruleOf('parked', rules)}) as rule from ${page} l
      cross join lateral ${rulesGiven(store, sql`l.schedule_id`)} r
      where ${isParkedLong(now, rules)} group by l.schedule_id`,
    { schedulesAtMost },
  );
}

/** True for every letter. Because of this condition, Postgres can use the index on state and write time. */
const IN_ANY_STATE = sql`state in ('open', 'redriving', 'resolved', 'discarded')`;
