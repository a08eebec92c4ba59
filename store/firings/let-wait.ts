import { sql } from 'kysely';
import type { FiringKey } from '../../core/firing';
import type { Store } from '../connection';
import { lockTimers } from '../schedules/lock-timers';
import { transact } from '../transaction';
import { inMonthsOf } from './keys';
import { IS_WAITING, isRedriven, type Lane, queueOfLane } from './waiting';

/** A claim whose start was never called, and the lane in which the claim should wait. */
export interface Uncalled extends FiringKey, Lane {
  readyAt: Date;
  late: boolean;
}

/**
 * Let claims that this trigger holds, and whose start nobody has called, wait for their start again. A claim that a
 * pause or a deletion after the announcement should have stopped stays with the trigger. A claim whose schedule another
 * transaction keeps locked stays too. Returns the claims that wait now.
 */
export async function letWait(store: Store, uncalled: Uncalled[], owner: string): Promise<FiringKey[]> {
  if (uncalled.length === 0) return [];
  return transact(store, async (transaction) => {
    const locked = await lockTimers(transaction, uncalled, { waits: false });
    const free = uncalled.filter(({ scheduleId }) => locked.has(scheduleId));
    const { rows } = await sql<FiringKey>`
      update ${transaction.table('firings')} f set owner = null, check_at = null, tenant = x.tenant, task_queue = ${queueOfLane(sql`x.task_queue`)},
        late = x.late, ready_at = x.ready_at
      from unnest(${free.map((row) => row.scheduleId)}::text[], ${free.map((row) => row.scheduledTime)}::timestamptz[],
        ${free.map((row) => row.tenant)}::text[], ${free.map((row) => row.taskQueue)}::text[], ${free.map((row) => row.late)}::bool[],
        ${free.map((row) => row.readyAt)}::timestamptz[]) as x (schedule_id, scheduled_time, tenant, task_queue, late, ready_at)
      where f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time and ${inMonthsOf(free, 'claimed')}
        and f.owner = ${owner} and f.first_attempted_at is null
        and (f.starts_at is not null or ${isRedriven(transaction)} or not exists (
          select from ${transaction.table('schedules')} s where s.schedule_id = f.schedule_id
            and (s.deleted_at is not null or f.claimed_at < s.created_at
              or (s.paused or f.claimed_at < s.unpaused_at) and f.kind in ('schedule', 'catchup'))))
      returning f.schedule_id as "scheduleId", f.scheduled_time as "scheduledTime"`.execute(transaction.db);
    return rows;
  });
}

/** How many rows one statement changes: one statement for all waiting rows could exceed its time limit. */
const ROWS_AT_ONCE = 5_000;

/**
 * Write a `check_at` into waiting firings, so that a trigger of an older version, which does not know waiting rows,
 * takes them over. Returns the number of firings that were changed.
 */
export async function handOverToVersionBefore(store: Store, now: Date): Promise<number> {
  for (let handed = 0; ; ) {
    const { rows } = await sql`
      with page as (
        select f.schedule_id, f.scheduled_time from ${store.table('firings')} f
        where ${IS_WAITING} and f.check_at is null limit ${ROWS_AT_ONCE} for no key update skip locked)
      update ${store.table('firings')} f set check_at = ${now} from page p
      where f.schedule_id = p.schedule_id and f.scheduled_time = p.scheduled_time
      returning 1 as one`.execute(store.db);
    handed += rows.length;
    if (rows.length < ROWS_AT_ONCE) return handed;
  }
}
