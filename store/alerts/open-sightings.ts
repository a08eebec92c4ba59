import { type RawBuilder, sql } from 'kysely';
import { ALERT_DEFAULTS, type RulesInForce } from '../../core/alert-defaults';
import type { Store } from '../connection';
import { amountIn } from '../text';
import { timersDue } from './overdue';
import { nextPage, type Pages } from './pages';
import { beforeShortestRule, millisecondsBetween, ruleOf, rulesGiven } from './rules';
import { type AlertQuery, ROWS_READ_AT_MOST, type Sighting, sightings } from './sighting';

/**
 * How many firings are read to find the usual duration: this many of the schedule's latest, and this many up to the
 * running firing.
 */
const LATEST_READ_AT_MOST = 100;

/**
 * True if a firing has not ended in time, by its schedule's rule. A backfill, a manual firing and a firing that was run
 * again have no deadline. A buffered firing of a frozen schedule has none until the freeze ends.
 */
export function isNotDone({ now, frozen }: AlertQuery, rule: RawBuilder<number | null>): RawBuilder<boolean> {
  return sql`(f.state in ('buffered', 'claimed', 'linked') and f.kind in ('schedule', 'catchup') and f.again is null
    and ${millisecondsBetween(sql`f.scheduled_time`, now)} >= ${rule}
    and not (f.state = 'buffered' and f.schedule_id = any(${frozen}::text[])))`;
}

/**
 * True if the next occurrence of a timer `t` has no answer although its deadline has passed. A postponed timer counts
 * only once it is overdue: many timers that wait for a tenant's quota wake at once, and their claim takes a while.
 */
export function isNotAnswered(
  { now, overdueBefore }: Pick<AlertQuery, 'now' | 'overdueBefore'>,
  rule: RawBuilder<number | null>,
): RawBuilder<boolean> {
  return sql`(t.next_fire_at > t.answered_to and t.completed_at is null
    and (t.wake_at <= greatest(t.next_fire_at, ${overdueBefore}) or t.wake_at = 'infinity')
    and ${millisecondsBetween(sql`t.next_fire_at`, now)} >= ${rule})`;
}

/**
 * True if the rules for all schedules have a deadline, or a version of any schedule has one. Most ledgers have none.
 */
export function isNotDoneAsked(store: Store, rules: RulesInForce): RawBuilder<boolean> {
  if (rules.notDone !== false) return sql`true`;
  return sql`(select exists (select from ${store.table('schedule_versions')} where policies -> 'alerts' ? 'notDone'))`;
}

/** Pages of the open firings that may be past their deadline; none if {@link isNotDoneAsked} is false. */
export function openPages(store: Store, rules: RulesInForce): Pages {
  return {
    rows: sql`${openFirings(store)} and ${isNotDoneAsked(store, rules)}`,
    key: ['schedule_id', 'scheduled_time'],
    atMost: ROWS_READ_AT_MOST,
  };
}

export async function readNotDone(store: Store, query: AlertQuery): Promise<Sighting[]> {
  const { now, rules, schedulesAtMost, places } = query;
  const rule = ruleOf('notDone', rules);
  const page = nextPage('not_done', places, openPages(store, rules));
  const timers = timersDue(store, beforeShortestRule(now), ['not_done_due', 'not_done_asleep'], places);
  const ofSchedule = sql`
    select f.scheduled_time as at, null::text as detail from ${store.table('firings')} f
    where f.schedule_id = x.schedule_id and ${isNotDone(query, sql`x.rule`)}
    union all
    select t.next_fire_at, null from ${store.table('timers')} t
    where t.schedule_id = x.schedule_id and ${isNotAnswered(query, sql`x.rule`)}`;
  return sightings(
    store,
    'not_done',
    sql`select schedule_id, count(*)::int as count, min(at) as at, max(rule) as rule from (
        (select f.schedule_id, f.scheduled_time as at, ${rule} as rule
        from ${page.rows} f
        cross join lateral ${rulesGiven(store, sql`f.schedule_id`)} r
        where ${isNotDone(query, rule)})
        union all
        (select t.schedule_id, t.next_fire_at, ${rule}
        from ${timers.rows} t
        cross join lateral ${rulesGiven(store, sql`t.schedule_id`)} r
        where ${isNotAnswered(query, rule)})) f
      where ${isNotDoneAsked(store, rules)} group by schedule_id`,
    { schedulesAtMost, places, pages: [page, ...timers.pages], ofSchedule },
  );
}

/**
 * The milliseconds after which the workflow of a firing `f` counts as running too long, by the rules `r` of its
 * schedule; null for never. The schedule's latest firings may all be skipped, because `f` runs or because `f` waited
 * for another firing. So the firings before `f` count too.
 */
export function runningLong(store: Store, rules: RulesInForce): RawBuilder<number | null> {
  if (rules.runningLong !== 'usual') return ruleOf('runningLong', rules);
  const { usualTimes, usualOf, usualFrom, runningLongFromMilliseconds } = ALERT_DEFAULTS;
  const latest = (where: RawBuilder<unknown>) => sql`(
          select state, outcome, scheduled_time, starts_at, linked_at, closed_at from ${store.table('firings')}
          where schedule_id = f.schedule_id and ${where} order by scheduled_time desc limit ${LATEST_READ_AT_MOST})`;
  return sql`(case when r.given ->> 'runningLong' = 'false' then null
    else coalesce(${amountIn(sql`r.given`, 'runningLong')}, (select greatest(${runningLongFromMilliseconds}::float8, ${usualTimes}::float8 * max(took)) from (
      select extract(epoch from p.closed_at - greatest(p.linked_at, p.scheduled_time, p.starts_at))::float8 * 1000 as took from (
        ${latest(sql`true`)} union ${latest(sql`scheduled_time <= f.scheduled_time`)}) p
      where p.state = 'closed' and p.outcome = 'completed' order by p.scheduled_time desc limit ${usualOf}) u
      having count(*) >= ${usualFrom})) end)`;
}

/** Since when a linked firing `f` has run. */
export const RUNNING_SINCE = sql`greatest(f.linked_at, f.scheduled_time, f.starts_at)`;

export function isRunningLong(now: Date, rule: RawBuilder<number | null>): RawBuilder<boolean> {
  return sql`(f.state = 'linked' and ${millisecondsBetween(RUNNING_SINCE, now)} >= ${rule})`;
}

export async function readRunningLong(
  store: Store,
  { now, rules, schedulesAtMost, places }: AlertQuery,
): Promise<Sighting[]> {
  const before = beforeShortestRule(now);
  const rule = runningLong(store, rules);
  const page = nextPage('running_long', places, {
    rows: sql`${openFirings(store)} and f.state = 'linked'`,
    key: ['schedule_id', 'scheduled_time'],
    atMost: RUNNING_READ_AT_MOST,
  });
  return sightings(
    store,
    'running_long',
    sql`select schedule_id, count(*)::int as count, min(scheduled_time) as at, min(rule) as rule from (
        select f.schedule_id, f.scheduled_time, ${rule} as rule
        from ${page.rows} f
        cross join lateral ${rulesGiven(store, sql`f.schedule_id`)} r
        where f.linked_at <= ${before} and ${isRunningLong(now, rule)}) f
      group by schedule_id`,
    {
      ...{ schedulesAtMost, places, pages: [page] },
      ofSchedule: sql`select f.scheduled_time as at, null::text as detail from ${store.table('firings')} f
        where f.schedule_id = x.schedule_id and ${isRunningLong(now, sql`x.rule`)}`,
    },
  );
}

function openFirings(store: Store): RawBuilder<unknown> {
  return sql`${store.table('firings')} f where f.state in ('buffered', 'claimed', 'linked')`;
}

/**
 * How many running firings a page has. The number is low, since the latest firings of each one's schedule are read too.
 * These pages leave out waiting firings: at a page a minute, a backlog of them would take hours.
 */
const RUNNING_READ_AT_MOST = 5_000;
