import { type RawBuilder, sql } from 'kysely';
import { ALERT_DEFAULTS, type RulesInForce } from '../../core/alert-defaults';
import { SHORTEST_RULE_MILLISECONDS } from '../../core/alert-rules';
import type { Store } from '../connection';
import { mayBeOverdue } from './overdue';
import { nextPage, type Pages } from './pages';
import { millisecondsBetween, ruleOf, rulesGiven } from './rules';
import { type AlertQuery, ROWS_READ_AT_MOST, type Sighting, sightings } from './sighting';

/** How many of a schedule's latest firings are read to find its usual run time. */
const LATEST_READ_AT_MOST = 100;

/**
 * True if a firing has not ended in time, by the alert rules `r` of its schedule. A firing that a person asked for has
 * no deadline; a buffered firing of a frozen schedule has none until the freeze ends.
 */
export function isNotDone({ now, rules, frozen }: AlertQuery): RawBuilder<boolean> {
  return sql`(f.state in ('buffered', 'claimed', 'linked') and f.kind in ('schedule', 'catchup') and f.again is null
    and ${millisecondsBetween(sql`f.scheduled_time`, now)} >= ${ruleOf('notDone', rules)}
    and not (f.state = 'buffered' and f.schedule_id = any(${frozen}::text[])))`;
}

/** True if the next occurrence of a timer `t` has no answer although its deadline has passed. */
export function isNotAnswered(now: Date, rules: RulesInForce): RawBuilder<boolean> {
  return sql`(t.next_fire_at > t.answered_to and t.completed_at is null and (t.wake_at <= ${now} or t.wake_at = 'infinity')
    and ${millisecondsBetween(sql`t.next_fire_at`, now)} >= ${ruleOf('notDone', rules)})`;
}

/** True if any schedule has a deadline: most ledgers have none. */
export function isNotDoneAsked(store: Store, rules: RulesInForce): RawBuilder<boolean> {
  if (rules.notDone !== false) return sql`true`;
  return sql`(select exists (select from ${store.table('schedule_versions')} where policies -> 'alerts' ? 'notDone'))`;
}

/**
 * Pages of the open firings among which passes look for those past their deadline; none if no schedule has a deadline.
 */
export function openPages(store: Store, rules: RulesInForce): Pages {
  return {
    rows: sql`${openFirings(store)} and ${isNotDoneAsked(store, rules)}`,
    key: ['schedule_id', 'scheduled_time'],
    atMost: ROWS_READ_AT_MOST,
  };
}

export async function readNotDone(store: Store, query: AlertQuery): Promise<Sighting[]> {
  const { now, rules, schedulesAtMost, places } = query;
  const before = new Date(now.getTime() - SHORTEST_RULE_MILLISECONDS);
  const rule = ruleOf('notDone', rules);
  const page = await nextPage(store, 'not_done', places, openPages(store, rules));
  return sightings(
    store,
    'not_done',
    sql`select schedule_id, count(*)::int as count, min(at) as at, max(rule) as rule from (
        (select f.schedule_id, f.scheduled_time as at, ${rule} as rule
        from ${page} f
        cross join lateral ${rulesGiven(store, sql`f.schedule_id`)} r
        where ${isNotDone(query)})
        union all
        (select t.schedule_id, t.next_fire_at, ${rule}
        from ${mayBeOverdue(store, before)} t
        cross join lateral ${rulesGiven(store, sql`t.schedule_id`)} r
        where ${isNotAnswered(now, rules)})) f
      where ${isNotDoneAsked(store, rules)} group by schedule_id`,
    { schedulesAtMost },
  );
}

/**
 * The milliseconds after which the workflow of a firing `f` counts as running too long, by the rules `r` of its
 * schedule; null for never.
 */
function runningLong(store: Store, rules: RulesInForce): RawBuilder<number | null> {
  if (rules.runningLong !== 'usual') return ruleOf('runningLong', rules);
  const { usualTimes, usualOf, usualFrom, runningLongFromMilliseconds } = ALERT_DEFAULTS;
  return sql`(case when r.given ->> 'runningLong' = 'false' then null
    when r.given ? 'runningLong' then (r.given ->> 'runningLong')::float8
    else (select greatest(${runningLongFromMilliseconds}::float8, ${usualTimes}::float8 * max(took)) from (
      select extract(epoch from p.closed_at - greatest(p.linked_at, p.scheduled_time, p.starts_at))::float8 * 1000 as took from (
        select * from ${store.table('firings')} where schedule_id = f.schedule_id order by scheduled_time desc limit ${LATEST_READ_AT_MOST}) p
      where p.state = 'closed' and p.outcome = 'completed' order by p.scheduled_time desc limit ${usualOf}) u
      having count(*) >= ${usualFrom}) end)`;
}

/** True if the workflow of a firing has run too long, by the alert rules `r` of its schedule. */
export function isRunningLong(store: Store, now: Date, rules: RulesInForce): RawBuilder<boolean> {
  const since = sql`greatest(f.linked_at, f.scheduled_time, f.starts_at)`;
  return sql`(f.state = 'linked' and ${millisecondsBetween(since, now)} >= ${runningLong(store, rules)})`;
}

export async function readRunningLong(
  store: Store,
  { now, rules, schedulesAtMost, places }: AlertQuery,
): Promise<Sighting[]> {
  const before = new Date(now.getTime() - SHORTEST_RULE_MILLISECONDS);
  const page = await nextPage(store, 'running_long', places, {
    rows: sql`${openFirings(store)} and f.state = 'linked'`,
    key: ['schedule_id', 'scheduled_time'],
    atMost: RUNNING_READ_AT_MOST,
  });
  return sightings(
    store,
    'running_long',
    sql`select schedule_id, count(*)::int as count, min(scheduled_time) as at, max(rule) as rule from (
        select f.schedule_id, f.scheduled_time, ${runningLong(store, rules)} as rule
        from ${page} f
        cross join lateral ${rulesGiven(store, sql`f.schedule_id`)} r
        where f.linked_at <= ${before} and ${isRunningLong(store, now, rules)}) f
      group by schedule_id`,
    { schedulesAtMost },
  );
}

function openFirings(store: Store): RawBuilder<unknown> {
  return sql`${store.table('firings')} f where f.state in ('buffered', 'claimed', 'linked')`;
}

/**
 * How many firings that run are read: for each, its schedule's latest firings are read too. Those that wait do not
 * count, since a page a minute would take hours through a backlog of them.
 */
const RUNNING_READ_AT_MOST = 5_000;
