import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../connection';
import { PARKED_SINCE } from '../letters/parked-firings';
import { nextPage, type Pages } from './pages';
import { beforeShortestRule, millisecondsBetween, ruleOf, rulesGiven } from './rules';
import { type AlertQuery, latestSeen, ROWS_READ_AT_MOST, type Sighting, sightings } from './sighting';

/**
 * Occurrences that will not fire although nobody skipped them on purpose, and starts that were abandoned. If an alert
 * about them is open, later ones are added to its count. What a resolved alert covers is not counted again.
 *
 * One that was recorded before the alert was last seen, but became readable afterwards, counts only as far as the rows
 * of this read exceed the alert's count. To count all such rows, each pass would read a schedule's whole history.
 */
export async function readMissed(store: Store, { now, from, places }: AlertQuery): Promise<Sighting[]> {
  const gaps = nextPage('missed', places, {
    rows: sql`${store.table('gaps')} f where f.reason in ('outside_catchup_window', 'over_catchup_limit', 'outside_retention', 'set_aside')`,
    from: sql`f.recorded_at > ${from}`,
    key: ['recorded_at', 'schedule_id'],
    atMost: ROWS_READ_AT_MOST,
  });
  const starts = nextPage('missed_start', places, lettersOf(store, sql`f.kind = 'start'`, from));
  return sightings(
    store,
    'missed',
    sql`select m.schedule_id, least(greatest(sum(m.count),
          a.count + coalesce(sum(m.count) filter (where m.at > a.last_seen_at), 0)), 2147483647)::int as count,
        max(m.at) as at, null::float8 as rule from (
        select schedule_id, count, recorded_at as at from ${gaps.rows} g
        union all
        select schedule_id, 1, created_at from ${starts.rows} l) m
      left join ${store.table('alerts')} a on a.condition = 'missed' and a.subject = m.schedule_id and a.resolved_at is null
      where not exists (select from ${store.table('alerts')} p where p.condition = 'missed' and p.subject = m.schedule_id
        and p.resolved_at is not null and p.last_seen_at >= m.at and p.last_seen_at <= ${latestSeen(now)})
      group by m.schedule_id, a.count`,
    { places, pages: [gaps, starts] },
  );
}

function lettersOf(store: Store, condition: RawBuilder<unknown>, from: Date): Pages {
  return {
    rows: sql`${store.table('dead_letters')} f where ${condition}`,
    // Without statistics, Postgres expects few rows in a range, but a third of all rows above a lower bound alone. For
    // so many rows it would read the whole table.
    from: sql`f.created_at > ${from} and f.created_at < 'infinity'`,
    key: ['created_at', 'letter_id'],
    atMost: ROWS_READ_AT_MOST,
  };
}

/**
 * Open letters about workflows, in the order of the index `dead_letters_kinds`. Among them are those of steps that were
 * parked until they expired: such a letter is older than the failure of its workflow.
 */
function openLettersOf(store: Store): Pages {
  return {
    rows: sql`${store.table('dead_letters')} f where f.state = 'open' and f.kind = 'workflow'`,
    key: ['created_at', 'letter_id'],
    atMost: ROWS_READ_AT_MOST,
  };
}

export async function readFailing(
  store: Store,
  { from, rules, places, isNewMinute }: Pick<AlertQuery, 'from' | 'rules' | 'places'> & { isNewMinute?: boolean },
): Promise<Sighting[]> {
  const page = nextPage('failing', places, lettersOf(store, sql`f.kind = 'workflow'`, from));
  const changed = isNewMinute ? nextPage('failing_changed', places, openLettersOf(store)) : undefined;
  return sightings(
    store,
    'failing',
    sql`select l.schedule_id, e.count, e.at, null::float8 as rule from (
        select distinct schedule_id from ${page.rows} f
        ${changed ? sql`union select schedule_id from ${changed.rows} f where f.updated_at > f.created_at` : sql``}) l
      cross join lateral (select ${ruleOf('failing', rules)}::bigint as most from ${rulesGiven(store, sql`l.schedule_id`)} r) r
      cross join lateral (
        select count(*)::int as count, min(scheduled_time) as at from (
          select outcome, scheduled_time from ${store.table('firings')} f where f.schedule_id = l.schedule_id
            and f.state = 'closed' and f.outcome in ('completed', 'failed', 'timed_out')
          order by f.scheduled_time desc limit coalesce(r.most, 0)) x where x.outcome <> 'completed') e
      where e.count = r.most`,
    { places, pages: changed ? [page, changed] : [page] },
  );
}

export async function readLettered(store: Store, { from, places }: AlertQuery): Promise<Sighting[]> {
  const page = nextPage('dead_letter', places, lettersOf(store, sql`f.state = 'open'`, from));
  return sightings(
    store,
    'dead_letter',
    sql`select schedule_id, count(*)::int as count, max(created_at) as at, null::float8 as rule from ${page.rows} l
      group by schedule_id`,
    { places, pages: [page] },
  );
}

/** True if the step of a letter `l` is parked too long by its schedule's rule, and no decision was carried out. */
export function isParkedLong(now: Date, rule: RawBuilder<number | null>): RawBuilder<boolean> {
  return sql`(l.kind = 'parked' and (l.state = 'open' or (l.state = 'redriving' and l.redrive ? 'lookAt')) and ${millisecondsBetween(PARKED_SINCE, now)} >= ${rule})`;
}

export async function readParked(
  store: Store,
  { now, rules, schedulesAtMost, places }: AlertQuery,
): Promise<Sighting[]> {
  const before = beforeShortestRule(now);
  const page = nextPage('parked', places, {
    rows: sql`${store.table('dead_letters')} f where f.state = 'open' and f.kind = 'parked' and f.created_at <= ${before}`,
    key: ['created_at', 'letter_id'],
    atMost: ROWS_READ_AT_MOST,
  });
  return sightings(
    store,
    'parked',
    sql`select l.schedule_id, count(*)::int as count, max(${PARKED_SINCE}) as at, max(${ruleOf('parked', rules)}) as rule from ${page.rows} l
      cross join lateral ${rulesGiven(store, sql`l.schedule_id`)} r
      where ${isParkedLong(now, ruleOf('parked', rules))} group by l.schedule_id`,
    {
      ...{ schedulesAtMost, places, pages: [page], at: 'max' },
      ofSchedule: sql`select ${PARKED_SINCE} as at, null::text as detail from ${store.table('dead_letters')} l
        where l.schedule_id = x.schedule_id and l.state = 'open' and ${isParkedLong(now, sql`x.rule`)}`,
    },
  );
}
