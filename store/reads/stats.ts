import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../connection';
import { COUNTED_FIRINGS } from '../firings/counts';
import { type OpenLetters, readOpenLetters } from '../letters/count-open';

/**
 * Counts of firings and missed occurrences. The counts of one schedule cover the rows that the ledger still holds; all
 * other counts cover all time. Months that were retired before the schema reached version 57 are not counted.
 */
export interface FiringStats {
  /** Firings in any state. */
  total: number;
  /** Buffered firings, which the claim pass has not let start yet. Most of them wait for another firing to end. */
  waiting: number;
  /** Firings that are claimed and not linked yet, including lost ones. */
  claimed: number;
  /** When the first of the claimed firings was claimed; null if there are none. */
  oldestClaimedAt: Date | null;
  /** Firings that became a workflow. */
  linked: number;
  /** Firings whose workflow still runs, by the ledger. */
  running: number;
  /** Firings that are claimed, not linked, and overdue for their check: a reconcile pass takes them over. */
  lost: number;
  /** Firings that were abandoned, with a reason. */
  abandoned: number;
  /** Firings that were skipped: not started, with a reason. */
  skipped: number;
  /** Occurrences in gaps that have no firing of their own. */
  missed: number;
  /** Firings whose workflow completed. */
  completed: number;
  /** Firings whose workflow failed or timed out. */
  failed: number;
  /** The share of completed firings among the completed, failed and abandoned ones, 0 to 1; null if there are none. */
  successRate: number | null;
  /** The results of recovery. */
  recoveries: {
    /** Firings that another trigger took over. */
    attempted: number;
    /** Firings that another trigger took over, and that became a workflow. */
    succeeded: number;
    /** Firings that another trigger took over, and that were abandoned. */
    failed: number;
  };
  /** Dead letters that need a person. */
  letters: OpenLetters;
}

const ON_THEIR_WAY = {
  waiting: sql`f.state = 'buffered'`,
  running: sql`f.state = 'linked'`,
  claimed: sql`f.state = 'claimed'`,
  lost: sql`f.state = 'claimed' and f.check_at < clock_timestamp()`,
} as const;

type Row = Record<keyof typeof COUNTED_FIRINGS | keyof typeof ON_THEIR_WAY, number> &
  Pick<FiringStats, 'missed' | 'oldestClaimedAt'>;

/**
 * Reads the counts of one schedule, from the rows that the ledger holds. Without a schedule, reads the counts of all
 * time, for all schedules or those of a tenant, including deleted ones. Counts of all time are the sums that a sweep
 * has stored for ended months, plus the counts of later firings.
 */
export async function readStats(
  store: Store,
  filter: { scheduleId?: string | undefined; tenant?: string | undefined },
): Promise<FiringStats> {
  const [firings, gaps] = [store.table('firings'), store.table('gaps')];
  const of = (alias: string) => ofWhom(store, filter, sql.ref(`${alias}.schedule_id`));
  // Sums are stored per tenant, so for one schedule its own rows are counted.
  const isKept = filter.scheduleId === undefined;
  const since = isKept
    ? sql`coalesce((select (value #>> '{}')::timestamptz from ${store.table('meta')} where key = 'counted_to'), '-infinity')`
    : sql`'-infinity'::timestamptz`;
  const ofTenant = filter.tenant === undefined ? sql`true` : sql`k.tenant = ${filter.tenant}`;
  const sum = (column: string) => sql`coalesce(sum(k.${sql.id(column)}), 0) as ${sql.id(column)}`;
  const { rows } = await sql<Row>`
    with now as (
      select ${sql.join(countsOf(ON_THEIR_WAY))}, min(f.claimed_at) filter (where f.state = 'claimed') as oldest
      from ${firings} f where f.state in ('buffered', 'claimed', 'linked') and ${of('f')}),
    firing as (select ${sql.join(countsOf(COUNTED_FIRINGS))} from ${firings} f where f.scheduled_time >= ${since} and ${of('f')}),
    kept as (
      select ${sql.join(Object.keys(COUNTED_FIRINGS).map(sum))} from ${store.table('firing_counts')} k
      where ${sql.lit(isKept)} and k.day < (${since} at time zone 'UTC') and ${ofTenant}),
    forgotten as (
      select coalesce(sum(k.missed), 0) as missed from ${store.table('firing_counts')} k
      where ${sql.lit(isKept)} and k.missed <> 0 and ${ofTenant}),
    counted as (select sum(g.missed) as missed from ${gaps} g where g.missed is not null and ${of('g')}),
    -- An occurrence with a firing does not count as missed, although its gap counts it.
    fired as (
      select g.schedule_id, g.from_time, count(*) as firings from ${gaps} g
      join ${firings} f on f.schedule_id = g.schedule_id and f.scheduled_time between g.from_time and g.to_time and f.kind <> 'manual'
      where g.missed is null and ${of('g')} group by g.schedule_id, g.from_time),
    missing as (
      select sum(greatest(0, g.count - coalesce(fired.firings, 0))) as missed
      from ${gaps} g left join fired using (schedule_id, from_time) where g.missed is null and ${of('g')})
    select ${sql.join(
      Object.keys(COUNTED_FIRINGS).map(
        (name) => sql`(firing.${sql.id(name)} + kept.${sql.id(name)})::bigint as ${sql.id(name)}`,
      ),
    )}, now.waiting, now.running, now.claimed, now.lost, now.oldest as "oldestClaimedAt",
      (coalesce(missing.missed, 0) + coalesce(counted.missed, 0) + forgotten.missed)::bigint as missed
    from now, firing, kept, forgotten, counted, missing`.execute(store.db);
  const { attempted, succeeded, gave_up: gaveUp, ...found } = rows[0]!;
  const letters = await readOpenLetters(store, filter);
  const ended = found.completed + found.failed + found.abandoned;
  return {
    ...found,
    successRate: ended === 0 ? null : found.completed / ended,
    recoveries: { attempted, succeeded, failed: gaveUp },
    letters,
  };
}

function countsOf(counts: Record<string, RawBuilder<unknown>>): RawBuilder<unknown>[] {
  return Object.entries(counts).map(
    ([name, which]) => sql`(count(*) filter (where ${which}))::bigint as ${sql.id(name)}`,
  );
}

function ofWhom(
  store: Store,
  { scheduleId, tenant }: { scheduleId?: string | undefined; tenant?: string | undefined },
  id: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const conditions = [sql`true`];
  if (scheduleId !== undefined) conditions.push(sql`${id} = ${scheduleId}`);
  if (tenant !== undefined) {
    conditions.push(sql`${id} in (select s.schedule_id from ${store.table('schedules')} s where s.tenant = ${tenant})`);
  }
  return sql.join(conditions, sql` and `);
}
