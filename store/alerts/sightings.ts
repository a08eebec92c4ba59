import { type RawBuilder, sql } from 'kysely';
import type { AlertCondition } from '../../core/alerts';
import type { Store } from '../connection';

/** A condition that holds of a schedule now. */
export interface Sighting {
  condition: AlertCondition;
  scheduleId: string;
  tenant: string;
  /** How many firings, occurrences or letters it is about. */
  count: number;
  /** What it is about: the first nominal time, or when the last letter was written. */
  at: Date;
}

/** What the reads of a pass go by. */
export interface Look {
  now: Date;
  /** What was written before this was looked at by another pass. */
  from: Date;
  lateBefore: Date;
  overdueBefore: Date;
  failing: number;
  skipped: number;
}

/** So many rows of a kind are read: of more it is enough to know that they are many. */
export const READ_AT_MOST = 1_000;

/** Firings that could have been started for a while. Run again and backfilled ones wait for no time of their own. */
export const isLate = (before: Date): RawBuilder<boolean> =>
  sql`f.state = 'claimed' and f.kind <> 'backfill' and f.again is null and f.epoch = 0
    and f.scheduled_time <= ${before} and coalesce(f.ready_at, f.scheduled_time) <= ${before}`;

/** Skips that nobody asked for. */
export const IS_SKIPPED = sql<boolean>`(f.state = 'skipped' and f.reason in ('overlap', 'overlap_waiting', 'cancel_ignored'))`;

export async function readLate(store: Store, { lateBefore }: Pick<Look, 'lateBefore'>): Promise<Sighting[]> {
  const some = (
    checkAt: RawBuilder<unknown>,
  ) => sql`(select f.schedule_id, f.scheduled_time from ${store.table('firings')} f
    where ${isLate(lateBefore)} and f.check_at is ${checkAt} order by f.check_at, f.scheduled_time limit ${READ_AT_MOST})`;
  return sightings(
    store,
    'late',
    sql`select schedule_id, count(*)::int as count, min(scheduled_time) as at
      from (${some(sql`null`)} union all ${some(sql`not null`)}) f group by schedule_id`,
  );
}

/** Occurrences that will not fire though nobody wanted that, and starts that were given up. */
export async function readMissed(store: Store, { from }: Look): Promise<Sighting[]> {
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

export async function readFailing(store: Store, { from, failing }: Look): Promise<Sighting[]> {
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

export async function readSkipped(store: Store, { from, skipped }: Look): Promise<Sighting[]> {
  return sightings(
    store,
    'skipped',
    sql`select c.schedule_id, e.count, e.at from (
        select distinct schedule_id from ${store.table('firings')} f where f.state = 'skipped' and f.claimed_at > ${from}) c
      cross join lateral (
        select count(*)::int as count, min(scheduled_time) as at from (
          select ${IS_SKIPPED} as skipped, scheduled_time from ${store.table('firings')} f
          where f.schedule_id = c.schedule_id and f.state <> 'buffered'
          order by f.scheduled_time desc limit ${skipped}) x where x.skipped) e
      where e.count = ${skipped}`,
  );
}

export async function readStalled(store: Store): Promise<Sighting[]> {
  return sightings(
    store,
    'stalled',
    sql`select schedule_id, count(*)::int as count, min(scheduled_time) as at from (
        select f.schedule_id, f.scheduled_time from ${store.table('firings')} f
        where f.state = 'linked' and f.stalled is not null order by f.scheduled_time limit ${READ_AT_MOST}) f
      group by schedule_id`,
  );
}

export async function readLettered(store: Store, { from }: Look): Promise<Sighting[]> {
  return sightings(
    store,
    'dead_letter',
    sql`select schedule_id, count(*)::int as count, max(created_at) as at from ${store.table('dead_letters')} l
      where l.state = 'open' and l.created_at > ${from} group by schedule_id`,
  );
}

/** Letters of every state, by the index on state and time. */
function isNew(from: Date): RawBuilder<boolean> {
  return sql`l.state in ('open', 'redriving', 'resolved', 'discarded') and l.created_at > ${from}`;
}

/** What a read has found, of schedules that are there. */
async function sightings(store: Store, condition: AlertCondition, found: RawBuilder<unknown>): Promise<Sighting[]> {
  const { rows } = await sql<Omit<Sighting, 'condition'>>`
    select x.schedule_id as "scheduleId", s.tenant, x.count, x.at from (${found}) x
    cross join lateral (select tenant from ${store.table('schedules')} s
      where s.schedule_id = x.schedule_id and s.deleted_at is null limit 1) s
    order by x.at, x.schedule_id`.execute(store.db);
  return rows.map((row) => ({ condition, ...row }));
}
