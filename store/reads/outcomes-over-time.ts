import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../connection';
import { ofTenant } from '../schedules/tenant';

export interface OutcomeBucket {
  at: Date;
  completed: number;
  /** Firings that failed, timed out, or were abandoned. */
  failed: number;
  /** Firings that were cancelled or terminated, or whose end is unknown. */
  other: number;
  /** Firings whose chain runs, by the ledger. */
  running: number;
  /** Firings that are buffered, or claimed and not linked. */
  waiting: number;
  skipped: number;
  /**
   * How long after their nominal times firings of kind `schedule` started, in milliseconds; null if none did. Firings
   * that were restarted or run again do not count.
   */
  lagP50: number | null;
  lagP99: number | null;
  lagMax: number | null;
}

/** A period that is split into buckets of equal length, from `from` on. */
export interface BucketQuery {
  from: Date;
  to: Date;
  bucketMilliseconds: number;
  tenant: string | undefined;
}

/** Only firings with nominal times in `[from, to)` count; empty buckets are left out. */
export async function readOutcomesOverTime(store: Store, query: BucketQuery): Promise<OutcomeBucket[]> {
  // Two statements run at once: each reads all firings of the period, and counts need other groups than percentiles.
  const [counts, lags] = await Promise.all([readCounts(store, query), readLags(store, query)]);
  const lagsAt = new Map(lags.map(({ at, ...lag }) => [at.getTime(), lag]));
  return counts.map((count) => ({ ...count, ...(lagsAt.get(count.at.getTime()) ?? NO_LAG) }));
}

type Lag = Pick<OutcomeBucket, 'lagP50' | 'lagP99' | 'lagMax'>;
const NO_LAG: Lag = { lagP50: null, lagP99: null, lagMax: null };

async function readCounts(store: Store, query: BucketQuery): Promise<Omit<OutcomeBucket, keyof Lag>[]> {
  const sum = (condition: RawBuilder<unknown>) => sql`coalesce(sum(x.count) filter (where ${condition}), 0)::int`;
  // Groups are counted first, so that the conditions are tested for each group and not for each firing.
  const { rows } = await sql<Omit<OutcomeBucket, keyof Lag>>`
    select x.at, ${sum(sql`x.outcome = 'completed'`)} as completed,
      ${sum(sql`x.outcome in ('failed', 'timed_out') or x.state = 'abandoned'`)} as failed,
      ${sum(sql`x.outcome in ('canceled', 'terminated', 'unknown')`)} as other,
      ${sum(sql`x.state = 'linked'`)} as running,
      ${sum(sql`x.state in ('buffered', 'claimed')`)} as waiting,
      ${sum(sql`x.state = 'skipped'`)} as skipped
    from (select ${bucketOf(query)} as at, f.state, f.outcome, count(*) as count
      from ${store.table('firings')} f where ${inPeriod(store, query)} group by 1, 2, 3) x
    group by x.at order by x.at`.execute(store.db);
  return rows;
}

async function readLags(store: Store, query: BucketQuery): Promise<(Lag & { at: Date })[]> {
  // A catch-up firing, a backfill, or a firing that runs once more mostly starts long after its nominal time, so its
  // lag says nothing about the triggers.
  const started = sql`f.linked_at is not null and f.kind = 'schedule' and f.again is null and f.epoch = 0`;
  const milliseconds = (place: number) => sql`extract(epoch from x.lags[${sql.lit(place)}])::float8 * 1000`;
  const { rows } = await sql<Lag & { at: Date }>`
    select x.at, ${milliseconds(1)} as "lagP50", ${milliseconds(2)} as "lagP99", ${milliseconds(3)} as "lagMax"
    from (select ${bucketOf(query)} as at, percentile_disc(array[0.5, 0.99, 1])
        within group (order by greatest(f.linked_at, f.starts_at, f.scheduled_time) - f.scheduled_time) as lags
      from ${store.table('firings')} f where ${inPeriod(store, query)} and ${started} group by 1) x`.execute(store.db);
  return rows;
}

function bucketOf({ from, bucketMilliseconds }: BucketQuery): RawBuilder<unknown> {
  return sql`date_bin(${bucketMilliseconds} * interval '1 millisecond', f.scheduled_time, ${from}::timestamptz)`;
}

function inPeriod(store: Store, { from, to, tenant }: BucketQuery): RawBuilder<unknown> {
  return sql`f.scheduled_time >= ${from} and f.scheduled_time < ${to} and ${ofTenant(store, sql`f.schedule_id`, tenant)}`;
}

/** Counts of missed occurrences, by the time when their gaps were recorded. */
export interface MissedBucket {
  at: Date;
  /** Occurrences outside the catch-up window or over the catch-up limit, or while the schedule was set aside. */
  missed: number;
}

export async function readMissedOverTime(store: Store, query: BucketQuery): Promise<MissedBucket[]> {
  const { from, to, bucketMilliseconds, tenant } = query;
  const { rows } = await sql<MissedBucket>`
    select date_bin(${bucketMilliseconds} * interval '1 millisecond', g.recorded_at, ${from}::timestamptz) as at,
      sum(g.count)::bigint as missed
    from ${store.table('gaps')} g
    where g.recorded_at >= ${from} and g.recorded_at < ${to} and g.reason in ('outside_catchup_window', 'over_catchup_limit', 'set_aside')
      and ${ofTenant(store, sql`g.schedule_id`, tenant)}
    group by 1 order by 1`.execute(store.db);
  return rows;
}
