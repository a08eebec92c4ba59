import { sql } from 'kysely';
import { type FiringKey, transition } from '../core/firing';
import { lockTimers, wakeBuffering } from './close';
import type { Store } from './connection';
import { buryAbandoned, resolveSkipped } from './dead-letters';
import { transact } from './transaction';

/**
 * claimed → abandoned | skipped with a reason, under the lock of the schedule. What is abandoned becomes a dead letter.
 *
 * @returns whether it did: not where somebody else settled it, or keeps the schedule locked
 */
export async function giveUpFiring(
  store: Store,
  firing: FiringKey & { epoch: number },
  end: { state: 'abandoned' | 'skipped'; reason: string; error?: string },
  now: Date,
): Promise<boolean> {
  // A transaction of somebody's that stays open on the schedule holds up its firings alone.
  let waits = true;
  return transact(store, async (transaction) => {
    const locking = lockTimers(transaction, [firing], { waits });
    waits = false;
    if (!(await locking).has(firing.scheduleId)) return false;
    const { rows } = await sql<FiringKey>`
      update ${transaction.table('firings')} set state = ${transition('claimed', end.state)}, reason = ${end.reason},
        last_error = coalesce(${end.error ?? null}, last_error), closed_at = ${now}, owner = null, check_at = null
      where schedule_id = ${firing.scheduleId} and scheduled_time = ${firing.scheduledTime} and epoch = ${firing.epoch}
        and state = 'claimed'
      returning schedule_id as "scheduleId", scheduled_time as "scheduledTime"`.execute(transaction.db);
    if (end.state === 'abandoned') await buryAbandoned(transaction, rows, now);
    else await resolveSkipped(transaction, rows, now);
    await wakeBuffering(transaction, rows, now);
    return rows.length > 0;
  });
}
