import { escapeIdentifier, type Pool } from 'pg';

/** Counts over the ledger of this run. */
export interface Totals {
  claimed: number;
  linked: number;
  closed: number;
  recovered: number;
  /** Still without an end. */
  open: number;
  /**
   * Due for more than two seconds and not claimed, or claimed for as long and not linked: their trigger is dead or not yet
   * up, or Temporal is away.
   */
  stuck: number;
  /** Answered without a workflow, each with its reason. */
  skipped: number;
  abandoned: number;
}

/** Count the firings in the public table `firings`. */
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
