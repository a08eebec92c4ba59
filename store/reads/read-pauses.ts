import { sql } from 'kysely';
import type { Store } from '../connection';

/** A pause, or the end of a pause, that a person requested. */
export interface NewPause {
  scheduleId: string;
  paused: boolean;
  actor: string | null;
  note: string | null;
}

/**
 * For schedules and the instants at which their timers woke: finds the requested pauses, or ends of pauses, that woke
 * the timers. A timer that woke for another reason has another wake time, so nothing is returned for it.
 */
export async function readNewPauses(
  transaction: Store,
  woken: { scheduleId: string; wakeAt: Date }[],
): Promise<NewPause[]> {
  if (woken.length === 0) return [];
  const { rows } = await sql<NewPause>`
    select * from (
      select s.schedule_id as "scheduleId", s.paused, case when s.paused then s.paused_by else s.unpaused_by end as actor, s.note
      from unnest(${woken.map((one) => one.scheduleId)}::text[], ${woken.map((one) => one.wakeAt)}::timestamptz[])
        as x (schedule_id, woken_at) join ${transaction.table('schedules')} s using (schedule_id)
      where case when s.paused then s.paused_at else s.unpaused_at end = x.woken_at) changed
    where actor is not null order by "scheduleId"`.execute(transaction.db);
  return rows;
}
