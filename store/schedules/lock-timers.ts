import { sql } from 'kysely';
import type { Store } from '../connection';

/** If `waits` is false, timers that another transaction keeps locked are left out. */
export async function lockTimers(
  transaction: Store,
  keys: { scheduleId: string }[],
  { waits } = { waits: true },
): Promise<Set<string>> {
  // Locks are taken in the order of the IDs, since batches in different orders could deadlock.
  const { rows } = await sql<{
    scheduleId: string;
  }>`select schedule_id as "scheduleId" from ${transaction.table('timers')}
    where schedule_id = any(${keys.map((key) => key.scheduleId)})
    order by schedule_id for no key update ${waits ? sql`` : sql`skip locked`}`.execute(transaction.db);
  return new Set(rows.map((row) => row.scheduleId));
}
