import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../connection';
import { type OpenLetters, readOpenLetters } from '../letters/open';

/** Counts over the firings and gaps that the ledger still holds. */
export interface FiringStats {
  /** Firings in any state. */
  total: number;
  /** Buffered: their turn has not come. */
  waiting: number;
  /** Claimed, and not started yet: what is lost included. */
  claimed: number;
  /** When the first of these was claimed; null while there are none. */
  oldestClaimedAt: Date | null;
  /** Became a workflow. */
  linked: number;
  /** Of these, still running as far as is known. */
  running: number;
  /** Claimed, not linked, and overdue: the reconciler's. */
  lost: number;
  /** Given up, with a reason. */
  abandoned: number;
  /** Not started, with a reason. */
  skipped: number;
  /** Occurrences in gaps. */
  missed: number;
  /** Their workflow completed. */
  completed: number;
  /** Failed or timed out. */
  failed: number;
  /** Completed of those that completed, failed or were abandoned, 0 to 1; null while there are none. */
  successRate: number | null;
  /** What became of lost firings. */
  recoveries: {
    /** Firings that another trigger took over. */
    attempted: number;
    /** Of these, those that became a workflow. */
    succeeded: number;
    /** Of these, those that were abandoned. */
    failed: number;
  };
  /** Dead letters that need a person. */
  letters: OpenLetters;
}

/** How each count of the view `stats` is made of firings `f`: the view has them by schedule. */
const COUNTS = {
  total: sql`count(*)`,
  waiting: sql`count(*) filter (where f.state = 'buffered')`,
  linked: sql`count(*) filter (where f.run_id is not null)`,
  running: sql`count(*) filter (where f.state = 'linked')`,
  lost: sql`count(*) filter (where f.state = 'claimed' and f.check_at < clock_timestamp())`,
  abandoned: sql`count(*) filter (where f.state = 'abandoned')`,
  skipped: sql`count(*) filter (where f.state = 'skipped')`,
  completed: sql`count(*) filter (where f.outcome = 'completed')`,
  failed: sql`count(*) filter (where f.outcome in ('failed', 'timed_out'))`,
  attempted: sql`count(*) filter (where f.recovery is not null)`,
  succeeded: sql`count(*) filter (where f.recovery is not null and f.run_id is not null)`,
  gaveUp: sql`count(*) filter (where f.recovery is not null and f.state = 'abandoned')`,
} as const;

/**
 * The counts of the view `stats`, of one schedule or of those of a tenant, deleted ones too. Of all schedules the view would
 * look each one up: here each firing is read once, in whatever order it lies.
 */
export async function readStats(
  store: Store,
  filter: { scheduleId?: string | undefined; tenant?: string | undefined },
): Promise<FiringStats> {
  const [firings, gaps] = [store.table('firings'), store.table('gaps')];
  const of = (alias: string) => ofWhom(store, filter, sql.ref(`${alias}.schedule_id`));
  const counts = Object.entries(COUNTS).map(([name, count]) => sql`(${count})::bigint as ${sql.id(name)}`);
  const { rows } = await sql<
    Record<keyof typeof COUNTS, number> & Pick<FiringStats, 'missed' | 'claimed' | 'oldestClaimedAt'>
  >`
    with claims as (
      select count(*)::bigint as claimed, min(f.claimed_at) as oldest from ${firings} f where f.state = 'claimed' and ${of('f')}),
    firing as (select ${sql.join(counts)} from ${firings} f where ${of('f')}),
    -- A firing beats the gap around it: the gap counts what is left.
    fired as (
      select g.schedule_id, g.from_time, count(*) as firings from ${gaps} g
      join ${firings} f on f.schedule_id = g.schedule_id and f.scheduled_time between g.from_time and g.to_time and f.kind <> 'manual'
      where ${of('g')} group by g.schedule_id, g.from_time),
    missing as (
      select sum(greatest(0, g.count - coalesce(fired.firings, 0))) as missed
      from ${gaps} g left join fired using (schedule_id, from_time) where ${of('g')})
    select firing.*, coalesce((select missed from missing), 0)::bigint as missed, claims.claimed,
      claims.oldest as "oldestClaimedAt"
    from firing, claims`.execute(store.db);
  const { attempted, succeeded, gaveUp, ...found } = rows[0]!;
  const letters = await readOpenLetters(store, filter);
  const ended = found.completed + found.failed + found.abandoned;
  return {
    ...found,
    successRate: ended === 0 ? null : found.completed / ended,
    recoveries: { attempted, succeeded, failed: gaveUp },
    letters,
  };
}

/** Whose firings, or gaps, are counted. */
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
