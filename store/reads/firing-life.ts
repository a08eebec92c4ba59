import { sql } from 'kysely';
import type { FiringKey } from '../../core/firing';
import type { Store } from '../connection';
import { ofTenant } from '../schedules/tenant';

/** The instants of a firing's life that no other answer has, and who it was. */
export interface FiringLife {
  /** When it might start. */
  readyAt: Date | null;
  /** When its start was first announced, and last. */
  firstAttemptedAt: Date | null;
  startAttemptedAt: Date | null;
  /** When a trigger checks it again. */
  checkAt: Date | null;
  /** Since when its start fails though its namespace answers. */
  refusedSince: Date | null;
  interrupt: 'cancel' | 'terminate' | null;
  interruptAt: Date | null;
  interruptedAt: Date | null;
  epoch: number;
  taskQueue: string | null;
  /** The trigger that starts it, or did. */
  owner: string | null;
  /** Where that runs; null when it is gone. */
  ownerHost: string | null;
}

/** Undefined where there is no such firing, or it is another tenant's. */
export async function readFiringLife(
  store: Store,
  { scheduleId, scheduledTime }: FiringKey,
  tenant: string | undefined,
): Promise<FiringLife | undefined> {
  const { rows } = await sql<FiringLife>`
    select f.ready_at as "readyAt", f.first_attempted_at as "firstAttemptedAt", f.start_attempted_at as "startAttemptedAt",
      f.check_at as "checkAt", f.refused_since as "refusedSince", f.interrupt, f.interrupt_at as "interruptAt",
      f.interrupted_at as "interruptedAt", f.epoch, f.task_queue as "taskQueue", f.owner, t.host as "ownerHost"
    from ${store.table('firings')} f left join ${store.table('triggers')} t on t.id = f.owner
    where f.schedule_id = ${scheduleId} and f.scheduled_time = ${scheduledTime} and ${ofTenant(store, scheduleId, tenant)}`.execute(
    store.db,
  );
  return rows[0];
}
