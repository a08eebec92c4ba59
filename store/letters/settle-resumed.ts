import { sql } from 'kysely';
import type { Store } from '../connection';
import type { PendingRedrive } from './redrive';

const IS_PENDING_RESUME = sql`(l.state = 'redriving' and l.redrive ? 'lookAt' and l.redrive ->> 'mode' = 'resume')`;

/**
 * Record that a resume was carried out; the letter stays `redriving` until the chain has ended. If the redrive has
 * announced a reset, it has resumed the other letters of its firing too: one reset continues the run for all of them.
 * The caller holds the schedule's lock.
 */
export async function settleResumed(
  transaction: Store,
  { letterId, scheduleId, scheduledTime }: PendingRedrive,
  now: Date,
): Promise<void> {
  const letters = transaction.table('dead_letters');
  await sql`update ${letters} l set updated_at = ${now},
      redrive = l.redrive - 'lookAt' || jsonb_build_object('carriedOutAt', ${now.toISOString()}::text)
    from (select redrive -> 'reset' as reset from ${letters} where letter_id = ${letterId}) made
    where l.schedule_id = ${scheduleId} and l.scheduled_time = ${scheduledTime} and ${IS_PENDING_RESUME}
      and (l.letter_id = ${letterId} or made.reset is not null)`.execute(transaction.db);
}
