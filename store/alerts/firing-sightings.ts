import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../connection';
import { instantIn } from '../text';
import type { TriggerReports } from '../trigger-reports';
import { nextPage } from './pages';
import { beforeShortestRule, millisecondsBetween, ruleOf, rulesGiven } from './rules';
import { type AlertQuery, ROWS_READ_AT_MOST, type Sighting, sightings } from './sighting';

/**
 * True for a claim `f` that could have started so long ago that it may be late by the shortest rule. A backfill, a
 * firing that was run again, and a restart in a new epoch need not start at their nominal times. The restart of an
 * abandoned start mostly keeps its epoch, and its lateness counts from the restart.
 */
const mayBeLate = (now: Date): RawBuilder<boolean> => {
  const before = beforeShortestRule(now);
  return sql`f.state = 'claimed' and f.kind <> 'backfill' and f.again is null and f.epoch = 0
    and f.scheduled_time <= ${before} and coalesce(f.ready_at, f.scheduled_time) <= ${before}`;
};

export function isLate(now: Date, rule: RawBuilder<number | null>): RawBuilder<boolean> {
  const since = sql`greatest(f.scheduled_time, coalesce(f.ready_at, f.scheduled_time))`;
  return sql`(${mayBeLate(now)} and ${millisecondsBetween(since, now)} >= ${rule})`;
}

/** True for a firing `f` that was skipped because of overlap, unless a later firing took its place. */
export const IS_SKIPPED = sql<boolean>`(f.state = 'skipped' and f.reason in ('overlap', 'overlap_waiting', 'cancel_ignored'))`;

/**
 * @param reports known problems that hold firings back; a firing that such a problem explains does not count as late,
 * since the problem has its own alert
 */
export async function readLate(
  store: Store,
  {
    now,
    rules,
    reports,
    schedulesAtMost,
    places = {},
  }: Pick<AlertQuery, 'now' | 'rules'> & Partial<Pick<AlertQuery, 'reports' | 'schedulesAtMost' | 'places'>>,
): Promise<Sighting[]> {
  const { namespaces, taskQueues } = heldBack(reports);
  const claims = sql`${store.table('firings')} f where f.state = 'claimed'`;
  const waiting = nextPage('late', places, {
    rows: sql`${claims} and f.check_at is null and f.scheduled_time <= ${beforeShortestRule(now)}`,
    key: ['scheduled_time', 'schedule_id'],
    nullBefore: sql`f.check_at`,
    atMost: ROWS_READ_AT_MOST,
  });
  // Announced starts need no pages: each check moves their `check_at` on, so that the next read finds others first.
  const announced = sql`(select f.* from ${claims} and ${mayBeLate(now)} and f.check_at is not null
    and f.namespace <> all(${namespaces}::text[]) order by f.check_at, f.scheduled_time limit ${ROWS_READ_AT_MOST})`;
  const isUnexplained = sql`f.namespace <> all(${namespaces}::text[]) and coalesce(f.task_queue, '') <> all(${taskQueues}::text[])`;
  return sightings(
    store,
    'late',
    sql`select schedule_id, count(*)::int as count, min(scheduled_time) as at, max(rule) as rule from (
        select f.schedule_id, f.scheduled_time, ${ruleOf('late', rules)} as rule
        from (select * from ${waiting.rows} w union all ${announced}) f
        cross join lateral ${rulesGiven(store, sql`f.schedule_id`)} r
        where ${isUnexplained} and ${isLate(now, ruleOf('late', rules))}) f
      group by schedule_id`,
    {
      ...{ schedulesAtMost, places, pages: [waiting] },
      ofSchedule: sql`select f.scheduled_time as at, null::text as detail from ${store.table('firings')} f
        where f.schedule_id = x.schedule_id and ${isUnexplained} and ${isLate(now, sql`x.rule`)}`,
    },
  );
}

function heldBack({ away, caps, problems }: TriggerReports = { away: [], caps: [], problems: [] }) {
  const held = problems.filter(({ condition }) => condition === 'namespace_held').map(({ subject }) => subject);
  return {
    namespaces: [...held, ...[...away, ...caps].flatMap((one) => ('namespace' in one ? [one.namespace] : []))],
    taskQueues: caps.flatMap((one) => ('taskQueue' in one ? [one.taskQueue] : [])),
  };
}

/**
 * True for a firing `f` that counts among a schedule's latest firings. One for which {@link IS_SKIPPED} is true
 * continues a series of skips, and any other ends it. Future times do not count, since an occurrence may be excluded
 * ahead.
 */
export function isAnswered(now: Date): RawBuilder<boolean> {
  return sql`(f.state <> 'buffered' and f.scheduled_time <= ${now})`;
}

export async function readSkipped(store: Store, { now, from, rules, places }: AlertQuery): Promise<Sighting[]> {
  const page = nextPage('skipped', places, {
    rows: sql`${store.table('firings')} f where f.state = 'skipped'`,
    from: sql`f.claimed_at > ${from}`,
    key: ['claimed_at', 'schedule_id'],
    atMost: ROWS_READ_AT_MOST,
  });
  return sightings(
    store,
    'skipped',
    sql`select c.schedule_id, e.count, e.at, null::float8 as rule from (
        select distinct schedule_id from ${page.rows} f) c
      cross join lateral (select ${ruleOf('skipped', rules)}::bigint as most from ${rulesGiven(store, sql`c.schedule_id`)} r) r
      cross join lateral (
        select count(*)::int as count, min(scheduled_time) as at from (
          select ${IS_SKIPPED} as skipped, scheduled_time from ${store.table('firings')} f
          where f.schedule_id = c.schedule_id and ${isAnswered(now)}
          order by f.scheduled_time desc limit coalesce(r.most, 0)) x where x.skipped) e
      where e.count = r.most`,
    { places, pages: [page] },
  );
}

export async function readStalled(
  store: Store,
  { schedulesAtMost, places = {} }: Partial<Pick<AlertQuery, 'schedulesAtMost' | 'places'>> = {},
): Promise<Sighting[]> {
  const page = nextPage('stalled', places, {
    rows: sql`${store.table('firings')} f where f.state = 'linked' and f.stalled is not null`,
    key: ['scheduled_time', 'schedule_id'],
    atMost: ROWS_READ_AT_MOST,
  });
  return sightings(
    store,
    'stalled',
    sql`select schedule_id, count(*)::int as count, min(scheduled_time) as at, null::float8 as rule,
          string_agg(distinct stalled, ' ') as reasons from ${page.rows} f
      group by schedule_id`,
    {
      ...{ detail: sql`x.reasons`, schedulesAtMost, places, pages: [page] },
      ofSchedule: sql`select f.scheduled_time as at, f.stalled as detail from ${store.table('firings')} f
        where f.schedule_id = x.schedule_id and f.state = 'linked' and f.stalled is not null`,
    },
  );
}

export const IS_RECOVERED_AGAIN = sql<boolean>`(f.recovery ->> 'number')::int > 1`;

const RECOVERED_AT = instantIn(sql`f.recovery`, 'recoveredAt');

export async function readRecovered(
  store: Store,
  { from, places }: Pick<AlertQuery, 'from' | 'places'>,
): Promise<Sighting[]> {
  const page = nextPage('recovered', places, {
    rows: sql`${store.table('firings')} f where ${IS_RECOVERED_AGAIN}`,
    from: sql`f.recovery ->> 'recoveredAt' > ${from.toISOString()}`,
    key: ['recovered_at', 'schedule_id'],
    atMost: ROWS_READ_AT_MOST,
  });
  return sightings(
    store,
    'recovered',
    sql`select f.schedule_id, max((f.recovery ->> 'number')::int) as count, max(${RECOVERED_AT}) as at, null::float8 as rule
      from ${page.rows} f where ${RECOVERED_AT} is not null group by f.schedule_id`,
    { places, pages: [page] },
  );
}
