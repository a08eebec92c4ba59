import { escapeIdentifier, type Pool } from 'pg';

export interface Totals {
  claimed: number;
  linked: number;
  closed: number;
  recovered: number;
  /** Firings that have not ended. */
  open: number;
  /**
   * Schedules with an occurrence that is due but not claimed, and firings that are claimed but not linked, for more than
   * two seconds. Their trigger is dead or still starting, or Temporal is away.
   */
  stuck: number;
  skipped: number;
  abandoned: number;
}

export async function readTotals(pool: Pool, ledger: string): Promise<Totals> {
  const { rows } = await pool.query<Totals>(`
    select count(*) filter (where state not in ('buffered', 'skipped'))::int as claimed,
      count(*) filter (where run_id is not null)::int as linked,
      count(*) filter (where state = 'closed')::int as closed,
      count(*) filter (where recovery is not null)::int as recovered,
      count(*) filter (where state in ('buffered', 'claimed', 'linked'))::int as open,
      (count(*) filter (where state = 'claimed' and claimed_at < clock_timestamp() - interval '2 seconds')
        + (select count(*) from ${escapeIdentifier(ledger)}.timers
           where next_fire_at < clock_timestamp() - interval '2 seconds'))::int as stuck,
      count(*) filter (where state = 'skipped')::int as skipped,
      count(*) filter (where state = 'abandoned')::int as abandoned
    from ${escapeIdentifier(ledger)}.firings`);
  return rows[0]!;
}
