import { sql } from 'kysely';
import type { Store } from '../connection';

/** A page of a schedule's answers in shadow mode, in the order of nominal times. */
export async function readShadows(
  store: Store,
  scheduleId: string,
  { after, to }: { after: Date; to: Date },
  limit: number,
): Promise<{ scheduledTime: Date; claimedAt: Date }[]> {
  const { rows } = await sql<{ scheduledTime: Date; claimedAt: Date }>`
    select scheduled_time as "scheduledTime", claimed_at as "claimedAt" from ${store.table('firings')}
    where schedule_id = ${scheduleId} and scheduled_time > ${after} and scheduled_time <= ${to} and state = 'skipped'
      and reason = 'shadow' and kind <> 'manual'
    order by scheduled_time limit ${limit}`.execute(store.db);
  return rows;
}
