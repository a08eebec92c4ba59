import { sql } from 'kysely';
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

const COUNTS = [
  'total',
  'waiting',
  'linked',
  'running',
  'lost',
  'abandoned',
  'skipped',
  'missed',
  'completed',
  'failed',
  'recoveries_attempted',
  'recoveries_succeeded',
  'recoveries_failed',
] as const;

/** The view `stats`, summed over one schedule or those of a tenant, deleted ones too. */
export async function readStats(
  store: Store,
  filter: { scheduleId?: string | undefined; tenant?: string | undefined },
): Promise<FiringStats> {
  const firings = store.table('firings');
  const conditions = [sql`true`];
  // From the firings themselves, since the view counts no claims: the index of what is open has them.
  const claims = [sql`f.state = 'claimed'`];
  if (filter.scheduleId !== undefined) {
    conditions.push(sql`schedule_id = ${filter.scheduleId}`);
    claims.push(sql`f.schedule_id = ${filter.scheduleId}`);
  }
  if (filter.tenant !== undefined) {
    conditions.push(sql`tenant = ${filter.tenant}`);
    claims.push(
      sql`exists (select from ${store.table('schedules')} s where s.schedule_id = f.schedule_id and s.tenant = ${filter.tenant})`,
    );
  }
  const sums = COUNTS.map((count) => sql`coalesce(sum(${sql.id(count)}), 0)::bigint as ${sql.id(count)}`);
  const { rows } = await sql<
    Record<(typeof COUNTS)[number], number> & Pick<FiringStats, 'claimed' | 'oldestClaimedAt'>
  >`
    with claims as (
      select count(*)::bigint as claimed, min(f.claimed_at) as oldest from ${firings} f where ${sql.join(claims, sql` and `)})
    select ${sql.join(sums)}, (select claimed from claims), (select oldest from claims) as "oldestClaimedAt"
    from ${sql.id(store.schema, 'stats')} where ${sql.join(conditions, sql` and `)}`.execute(store.db);
  const {
    total,
    waiting,
    claimed,
    oldestClaimedAt,
    recoveries_attempted,
    recoveries_succeeded,
    recoveries_failed,
    ...counts
  } = rows[0]!;
  const letters = await readOpenLetters(store, filter);
  const ended = counts.completed + counts.failed + counts.abandoned;
  return {
    total,
    waiting,
    claimed,
    oldestClaimedAt,
    ...counts,
    successRate: ended === 0 ? null : counts.completed / ended,
    recoveries: { attempted: recoveries_attempted, succeeded: recoveries_succeeded, failed: recoveries_failed },
    letters,
  };
}
