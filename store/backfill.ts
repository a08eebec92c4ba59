import { sql } from 'kysely';
import type { Store } from './connection';

/** Which of these instants have a firing, in epoch milliseconds. */
export async function readFired(store: Store, scheduleId: string, times: Date[]): Promise<Set<number>> {
  const { rows } = await sql<{ scheduledTime: Date }>`
    select scheduled_time as "scheduledTime" from ${store.table('firings')}
    where schedule_id = ${scheduleId} and scheduled_time = any(${times}::timestamptz[])`.execute(store.db);
  return new Set(rows.map((row) => row.scheduledTime.getTime()));
}
