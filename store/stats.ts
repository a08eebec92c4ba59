import { sql } from 'kysely';
import type { Store } from './connection';

/** Counts over the firings and gaps that the ledger still holds. */
export interface FiringStats {
  /** Firings in any state. */
  total: number;
  /** Buffered: their turn has not come. */
  waiting: number;
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
  const conditions = [sql`true`];
  if (filter.scheduleId !== undefined) conditions.push(sql`schedule_id = ${filter.scheduleId}`);
  if (filter.tenant !== undefined) conditions.push(sql`tenant = ${filter.tenant}`);
  const sums = COUNTS.map((count) => sql`coalesce(sum(${sql.id(count)}), 0)::bigint as ${sql.id(count)}`);
  const { rows } = await sql<Record<(typeof COUNTS)[number], number>>`
    select ${sql.join(sums)} from ${sql.id(store.schema, 'stats')} where ${sql.join(conditions, sql` and `)}`.execute(
    store.db,
  );
  const { recoveries_attempted, recoveries_succeeded, recoveries_failed, ...counts } = rows[0]!;
  const ended = counts.completed + counts.failed + counts.abandoned;
  return {
    ...counts,
    successRate: ended === 0 ? null : counts.completed / ended,
    recoveries: { attempted: recoveries_attempted, succeeded: recoveries_succeeded, failed: recoveries_failed },
  };
}
