import { sql } from 'kysely';
import type { Store } from '../connection';

export interface AnsweredDay {
  /** The place of the day among the requested days, from 0. */
  index: number;
  completed: number;
  /** The number of firings that failed, timed out, or were abandoned. */
  failed: number;
  skipped: number;
  /** The number of firings that ended otherwise, or have not ended. */
  other: number;
}

/**
 * Reads on which of some days a schedule has firings, along the primary key. Postgres knows fewer names of time zones
 * than Intl, and reads some as other zones. So the caller gives the days as instants.
 *
 * @param starts where each day begins, and where the last one ends
 */
export async function readAnsweredDays(
  store: Store,
  { scheduleId, starts }: { scheduleId: string; starts: Date[] },
): Promise<AnsweredDay[]> {
  const { rows } = await sql<AnsweredDay>`
    select width_bucket(f.scheduled_time, ${starts}::timestamptz[]) - 1 as index,
      (count(*) filter (where f.outcome = 'completed'))::int as completed,
      (count(*) filter (where f.outcome in ('failed', 'timed_out') or f.state = 'abandoned'))::int as failed,
      (count(*) filter (where f.state = 'skipped'))::int as skipped,
      (count(*) filter (where f.state in ('buffered', 'claimed', 'linked') or f.outcome in ('canceled', 'terminated', 'unknown')))::int as other
    from ${store.table('firings')} f
    where f.schedule_id = ${scheduleId} and f.scheduled_time >= ${starts[0]} and f.scheduled_time < ${starts.at(-1)}
    group by 1`.execute(store.db);
  return rows;
}

/** Gaps of a schedule that overlap `[from, to)`, oldest first, at most 10,000. */
export async function readGapsBetween(
  store: Store,
  { scheduleId, from, to }: { scheduleId: string; from: Date; to: Date },
): Promise<{ from: Date; to: Date; count: number; reason: string }[]> {
  const { rows } = await sql<{ from: Date; to: Date; count: number; reason: string }>`
    select from_time as "from", to_time as "to", count, reason from ${store.table('gaps')}
    where schedule_id = ${scheduleId} and from_time < ${to} and to_time >= ${from}
    order by from_time limit 10000`.execute(store.db);
  return rows;
}
