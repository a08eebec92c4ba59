import { sql } from 'kysely';
import type { Store } from '../connection';
import { ofTenant } from '../schedules/tenant';

/** Counts of the firings in a period, by result. */
export interface OutcomeBucket {
  /** When the period begins. */
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
  /** How long after their nominal times firings of the spec were started, in milliseconds; null if none was started. */
  lagP50: number | null;
  lagP99: number | null;
  lagMax: number | null;
}

/**
 * Outcomes and lag of the firings with nominal times in `[from, to)`, in buckets from `from` on; empty buckets are left
 * out.
 */
export async function readOutcomesOverTime(
  store: Store,
  query: { from: Date; to: Date; bucketMilliseconds: number; tenant: string | undefined },
): Promise<OutcomeBucket[]> {
  const { from, to, bucketMilliseconds, tenant } = query;
  // A catch-up or manual firing is late because it was requested late, so its lag says nothing about the triggers.
  const started = sql`f.linked_at is not null and f.kind = 'schedule' and f.again is null and f.epoch = 0`;
  const milliseconds = (place: number) => sql`extract(epoch from lags[${sql.lit(place)}])::float8 * 1000`;
  const { rows } = await sql<OutcomeBucket>`
    select at, completed, failed, other, running, waiting, skipped,
      ${milliseconds(1)} as "lagP50", ${milliseconds(2)} as "lagP99", ${milliseconds(3)} as "lagMax"
    from (select date_bin(${bucketMilliseconds} * interval '1 millisecond', f.scheduled_time, ${from}::timestamptz) as at,
      (count(*) filter (where f.outcome = 'completed'))::int as completed,
      (count(*) filter (where f.outcome in ('failed', 'timed_out') or f.state = 'abandoned'))::int as failed,
      (count(*) filter (where f.outcome in ('canceled', 'terminated', 'unknown')))::int as other,
      (count(*) filter (where f.state = 'linked'))::int as running,
      (count(*) filter (where f.state in ('buffered', 'claimed')))::int as waiting,
      (count(*) filter (where f.state = 'skipped'))::int as skipped,
      percentile_disc(array[0.5, 0.99, 1]) within group (order by greatest(f.linked_at, f.starts_at, f.scheduled_time) - f.scheduled_time)
        filter (where ${started}) as lags
      from ${store.table('firings')} f
      where f.scheduled_time >= ${from} and f.scheduled_time < ${to} and ${ofTenant(store, sql`f.schedule_id`, tenant)}
      group by 1) x order by at`.execute(store.db);
  return rows;
}

/** Counts of missed occurrences, by the time when their gaps were recorded. */
export interface MissedBucket {
  at: Date;
  /** Occurrences that were outside the catch-up window, or over the catch-up limit. */
  missed: number;
}

export async function readMissedOverTime(
  store: Store,
  query: { from: Date; to: Date; bucketMilliseconds: number; tenant: string | undefined },
): Promise<MissedBucket[]> {
  const { from, to, bucketMilliseconds, tenant } = query;
  const { rows } = await sql<MissedBucket>`
    select date_bin(${bucketMilliseconds} * interval '1 millisecond', g.recorded_at, ${from}::timestamptz) as at,
      sum(g.count)::bigint as missed
    from ${store.table('gaps')} g
    where g.recorded_at >= ${from} and g.recorded_at < ${to} and g.reason in ('outside_catchup_window', 'over_catchup_limit')
      and ${ofTenant(store, sql`g.schedule_id`, tenant)}
    group by 1 order by 1`.execute(store.db);
  return rows;
}
