import { sql } from 'kysely';
import type { Store } from './connection';

/** A pause that a person asked for. */
export interface NewPause {
  scheduleId: string;
  pausedBy: string;
  note: string | null;
}

/** Of schedules and the instants at which their timers woke, the pauses that woke them: what else wakes a paused one does so later. */
export async function readNewPauses(
  transaction: Store,
  woken: { scheduleId: string; wakeAt: Date }[],
): Promise<NewPause[]> {
  if (woken.length === 0) return [];
  const { rows } = await sql<NewPause>`
    select s.schedule_id as "scheduleId", s.paused_by as "pausedBy", s.note
    from unnest(${woken.map((one) => one.scheduleId)}::text[], ${woken.map((one) => one.wakeAt)}::timestamptz[])
      as x (schedule_id, woken_at) join ${transaction.table('schedules')} s using (schedule_id)
    where s.paused and s.paused_at = x.woken_at and s.paused_by is not null order by s.schedule_id`.execute(
    transaction.db,
  );
  return rows;
}
