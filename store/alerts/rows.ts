import { type RawBuilder, sql } from 'kysely';
import { ALERT_CONDITIONS, ALERT_DEFAULTS } from '../../core/alert-defaults';
import { isCredentials } from '../../core/credentials';
import type { Store } from '../connection';
import { IS_LIVE, isForgotten } from '../schedules/forgotten';
import type { AwayNamespace } from '../table-values';
import { subjectOfCap } from '../trigger-reports';
import { IS_RECOVERED_AGAIN, IS_SKIPPED, isAnswered, isLate } from './firing-sightings';
import { isParkedLong } from './letter-sightings';
import { isNotAnswered, isNotDone, isRunningLong, RUNNING_SINCE, runningLong } from './open-sightings';
import { isOverdue } from './overdue';
import { ALERT_COLUMNS, type Alert } from './read-alerts';
import { ruleOf, rulesGiven } from './rules';
import { type AlertQuery, latestSeen } from './sighting';
import { isSilenced } from './silences';
import { isStartedSeldom } from './started-often';

export interface SeenAlert extends Pick<Alert, 'condition' | 'tenant' | 'scheduleId' | 'count' | 'text'> {
  /** The alert's ID, if a message that names it may have been sent before. @default a random one */
  alertId?: string;
  /** The schedule or other thing that the alert is about; empty for the summary alert of a condition. */
  subject: string;
  /**
   * When the problem was seen. If an alert for the same problem was last seen at this instant or later and is resolved
   * by now, no second alert opens. This does not apply to summary alerts, which count alerts that are already open.
   */
  seenAt: Date;
  /** When the alert was sent, if it was sent before its row is written. */
  toldAt?: Date;
}

/**
 * Open new alerts, and record for alerts that are already open that their problem was seen again. An alert `missed`
 * takes a larger count even without a later miss: what was missed may become readable after what was missed later.
 */
export async function openAlerts(store: Store, seen: SeenAlert[], now: Date): Promise<void> {
  if (seen.length === 0) return;
  const column = <K extends keyof SeenAlert>(key: K) => seen.map((one) => one[key]);
  const latest = latestSeen(now);
  await sql`
    insert into ${store.table('alerts')} as a (alert_id, condition, subject, tenant, schedule_id, opened_at, last_seen_at, looked_at, count, text, told_at)
    select coalesce((select x.alert_id where not exists (select from ${store.table('alerts')} p where p.alert_id = x.alert_id)),
        gen_random_uuid()), x.condition, x.subject, x.tenant, x.schedule_id, ${now}::timestamptz, x.seen_at, ${now}::timestamptz, x.count, x.text, x.told_at
    from unnest(${column('condition')}::text[], ${column('subject')}::text[], ${column('tenant')}::text[],
        ${column('scheduleId')}::text[], ${column('seenAt')}::timestamptz[], ${column('count')}::int[], ${column('text')}::text[],
        ${seen.map(({ toldAt }) => toldAt ?? null)}::timestamptz[], ${seen.map(({ alertId }) => alertId ?? null)}::uuid[])
      with ordinality as x (condition, subject, tenant, schedule_id, seen_at, count, text, told_at, alert_id, place)
    where not exists (select from ${store.table('alerts')} p where p.condition = x.condition and p.subject = x.subject
      and x.subject <> '' and p.resolved_at is not null and p.last_seen_at >= x.seen_at and p.last_seen_at <= ${latest})
    order by x.place
    on conflict (condition, subject) where resolved_at is null do update
      set last_seen_at = case when a.last_seen_at > ${latest} then excluded.last_seen_at
          else greatest(a.last_seen_at, excluded.last_seen_at) end, count = excluded.count, text = excluded.text, good_since = null
      where excluded.last_seen_at > a.last_seen_at or a.last_seen_at > ${latest}
        or (a.condition = 'missed' and excluded.count > a.count)`.execute(store.db);
}

/** How many alerts one pass sends; the next pass sends the rest. */
const TOLD_AT_MOST = 10_000;

/** Mark open alerts as sent, except silenced ones. Returns the marked alerts, the first opened first. */
export async function tellAlerts(store: Store, now: Date): Promise<Alert[]> {
  const { rows } = await sql<Alert>`
    with told as (
      update ${store.table('alerts')} a set told_at = ${now}
      from (select a.alert_id from ${store.table('alerts')} a where a.resolved_at is null and a.told_at is null
        and not ${isSilenced(store, now)} order by a.opened_at limit ${TOLD_AT_MOST}) x
      where a.alert_id = x.alert_id returning a.*)
    select ${ALERT_COLUMNS} from told a
    order by a.opened_at, array_position(${[...ALERT_CONDITIONS]}::text[], a.condition), a.subject`.execute(store.db);
  return rows;
}

export async function putBehind(store: Store, alertIds: string[], summaryId: string): Promise<void> {
  await sql`update ${store.table('alerts')} set summary_id = ${summaryId} where alert_id = any(${alertIds}::uuid[])`.execute(
    store.db,
  );
}

export async function readSummaries(store: Store): Promise<Alert[]> {
  const { rows } = await sql<Alert>`select ${ALERT_COLUMNS} from ${store.table('alerts')} a
    where a.resolved_at is null and a.subject = ''`.execute(store.db);
  return rows;
}

/** How many open alerts a pass checks, starting with those that were checked longest ago. */
const CHECKED_AT_MOST = 500;

/**
 * Resolve open alerts whose problem is over. A problem that comes and goes must first be absent for a while. Returns
 * the resolved alerts that had been sent.
 */
export async function resolveAlerts(store: Store, query: AlertQuery): Promise<Alert[]> {
  const { now } = query;
  const alerts = store.table('alerts');
  const steadySince = new Date(now.getTime() - ALERT_DEFAULTS.steadyMilliseconds);
  const anHourAgo = new Date(now.getTime() - 3_600_000);
  const { rows } = await sql<Alert & { isTold: boolean }>`
    with checked as (
      select a.alert_id, ${isOver(store, query)} as over, (select count(*) from ${alerts} p where p.condition = a.condition
        and p.subject = a.subject and p.last_seen_at > ${anHourAgo}) as openings
      from (select * from ${alerts} where resolved_at is null order by looked_at limit ${CHECKED_AT_MOST}) a
      left join lateral ${rulesGiven(store, sql`a.schedule_id`)} r on true)
    update ${alerts} a set looked_at = ${now}, good_since = case when l.over then coalesce(a.good_since, ${now}) end,
      resolved_at = case when l.over and (l.openings <= ${ALERT_DEFAULTS.openingsAnHour} or a.good_since <= ${steadySince}) then ${now}::timestamptz end
    from checked l where l.alert_id = a.alert_id
    returning ${ALERT_COLUMNS}, a.told_at is not null as "isTold"`.execute(store.db);
  return rows
    .filter(({ resolvedAt, isTold }) => resolvedAt !== null && isTold)
    .map(({ isTold, ...alert }) => alert)
    .sort((a, b) => a.openedAt.getTime() - b.openedAt.getTime());
}

/**
 * How many running firings of a schedule are checked, starting with those that have run longest. Those that a person
 * asked for come last: their times may lie before all completed runs, so that nothing is usual for them. Each check
 * reads the latest firings of the schedule, and a pass checks many schedules.
 */
const RUNNING_CHECKED_AT_MOST = 10;

/**
 * Among how many of a schedule's latest firings one that has completed is looked for. If more than these are skipped
 * during each run, the alert does not end. Without this limit, each pass would read whole histories.
 */
const LATEST_READ_AT_MOST = 2_000;

function namesOf(away: AwayNamespace[], credentials: boolean): string[] {
  return away.filter((one) => isCredentials(one) === credentials).map(({ namespace }) => namespace);
}

/**
 * The subqueries have an `offset`, which makes the planner check alert by alert, by an index. Otherwise the planner may
 * scan and join whole tables.
 */
function isOver(store: Store, query: AlertQuery): RawBuilder<boolean> {
  const { now, overdueBefore, rules } = query;
  const firings = sql`${store.table('firings')} f where f.schedule_id = a.schedule_id`;
  const inARow = sql`${ruleOf('resolvedAfter', rules)}::bigint`;
  const latest = sql`(select f.* from ${firings} order by f.scheduled_time desc limit ${LATEST_READ_AT_MOST} * ${inARow})`;
  const timer = sql`${store.table('timers')} t join ${store.table('schedules')} s using (schedule_id)
      where t.schedule_id = a.schedule_id and ${IS_LIVE}`;
  return sql`case
    when a.subject = '' then not exists (select from ${store.table('alerts')} p where p.summary_id = a.alert_id and p.resolved_at is null offset 0)
    when a.condition = 'namespace_unreachable' then a.subject <> all(${namesOf(query.reports.away, false)}::text[])
    when a.condition = 'credentials' then a.subject <> all(${namesOf(query.reports.away, true)}::text[])
    when a.condition in ('lock_held', 'partition_missing', 'clock_off', 'retention_held', 'namespace_held')
      then a.condition || ' ' || a.subject <> all(${query.reports.problems.map(({ condition, subject }) => `${condition} ${subject}`)}::text[])
    when a.condition = 'cap_full' then a.subject <> all(${query.reports.caps.map(subjectOfCap)}::text[])
    when a.condition = 'no_trigger' then ${query.unseenMilliseconds === undefined}
    when not exists (select from ${store.table('schedules')} s where s.schedule_id = a.schedule_id and s.deleted_at is null offset 0) then true
    when a.condition = 'late' then not exists (select from ${firings} and ${isLate(now, ruleOf('late', rules))} offset 0)
    when a.condition = 'not_done' then not exists (select from ${firings} and ${isNotDone(query, ruleOf('notDone', rules))} offset 0)
      and not exists (select from ${timer} and ${isNotAnswered(query, ruleOf('notDone', rules))} offset 0)
    when a.condition = 'running_long' then not exists (select from (select f.* from ${firings} and f.state = 'linked'
      order by f.kind not in ('schedule', 'catchup'), ${RUNNING_SINCE} limit ${RUNNING_CHECKED_AT_MOST}) f where ${isRunningLong(now, runningLong(store, rules))} offset 0)
    when a.condition = 'stalled' then not exists (select from ${firings} and f.state = 'linked' and f.stalled is not null offset 0)
    when a.condition = 'dead_letter' then not exists (select from ${store.table('dead_letters')} l
      where l.schedule_id = a.schedule_id and l.state in ('open', 'redriving') offset 0)
    when a.condition = 'parked' then not exists (select from ${store.table('dead_letters')} l
      where l.schedule_id = a.schedule_id and l.state in ('open', 'redriving') and ${isParkedLong(now, ruleOf('parked', rules))} offset 0)
    when a.condition = 'recovered' then not exists (select from ${firings} and f.state = 'claimed' and ${IS_RECOVERED_AGAIN} offset 0)
    when a.condition = 'schedule_set_aside' then exists (select from ${store.table('schedules')} s
      where s.schedule_id = a.schedule_id and s.spec_error is null offset 0)
    when a.condition = 'overdue' then not exists (select from ${timer} and (${isOverdue(overdueBefore)} or ${isForgotten(store)}) offset 0)
    when a.condition in ('missed', 'skipped') and exists (select from ${store.table('timers')} t
      where t.schedule_id = a.schedule_id and t.completed_at is not null offset 0) and exists (select from ${store.table('alerts')} p
      where p.alert_id in (a.alert_id, a.summary_id) and p.acknowledged_at >= a.opened_at offset 0) then true
    when a.condition = 'missed' then (select count(*) >= ${inARow} from (select f.outcome, f.closed_at from ${latest} f where f.state = 'closed'
      order by f.scheduled_time desc limit 4 + ${inARow}) f where f.outcome = 'completed' and f.closed_at > a.last_seen_at)
    when a.condition = 'failing' then (select count(*) = ${inARow} from (select f.outcome from ${latest} f where f.state = 'closed'
      and f.outcome in ('completed', 'failed', 'timed_out') order by f.scheduled_time desc limit ${inARow}) f where f.outcome = 'completed')
    when a.condition = 'started_often' then ${isStartedSeldom(store, query)}
    when a.condition = 'skipped' then (select not ${IS_SKIPPED} from ${firings} and ${isAnswered(now)}
      order by f.scheduled_time desc limit 1)
    else false end`;
}
