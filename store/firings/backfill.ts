import { sql } from 'kysely';
import type { OverlapPolicy } from '../../core/schedule/policies';
import type { Store } from '../connection';
import { holdsSchedule } from '../letters/parked-firings';

/** Which of these instants already have a firing, in epoch milliseconds. */
export async function readFired(store: Store, scheduleId: string, times: Date[]): Promise<Set<number>> {
  const { rows } = await sql<{ scheduledTime: Date }>`
    select scheduled_time as "scheduledTime" from ${store.table('firings')}
    where schedule_id = ${scheduleId} and scheduled_time = any(${times}::timestamptz[])`.execute(store.db);
  return new Set(rows.map((row) => row.scheduledTime.getTime()));
}

/**
 * How many firings block a schedule, and the overlap policies of its buffered firings, oldest first. A null in
 * `waiting` stands for the schedule's own policy.
 */
export async function readOpenPolicies(
  store: Store,
  scheduleId: string,
): Promise<{ held: number; waiting: (OverlapPolicy | null)[] }> {
  const { rows } = await sql<{ state: string; overlap: OverlapPolicy | null }>`
    select state, overlap from ${store.table('firings')} f
    where schedule_id = ${scheduleId} and state in ('buffered', 'claimed', 'linked') and ${holdsSchedule(store, 'f')}
    order by scheduled_time`.execute(store.db);
  const waiting = rows.filter((row) => row.state === 'buffered').map((row) => row.overlap);
  return { held: rows.length - waiting.length, waiting };
}
