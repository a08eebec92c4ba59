import { sql } from 'kysely';
import type { FiringKey } from '../../core/firing';
import type { Store } from '../connection';
import { ofTenant } from '../schedules/tenant';

/** Parts of a firing's row that `Firing` lacks, and the host of the trigger that starts the firing. */
export interface FiringLife {
  /** The first instant at which the firing may start. */
  readyAt: Date | null;
  /** When the firing's start was first announced. */
  firstAttemptedAt: Date | null;
  startAttemptedAt: Date | null;
  checkAt: Date | null;
  /** Since when the firing's start fails although its namespace answers. */
  refusedSince: Date | null;
  interrupt: 'cancel' | 'terminate' | null;
  interruptedAt: Date | null;
  epoch: number;
  taskQueue: string | null;
  /** The trigger that starts or started the firing; null while any trigger may take the firing, and after its end. */
  owner: string | null;
  /** The host of the trigger `owner`; null without an owner, or if the ledger no longer knows that trigger. */
  ownerHost: string | null;
}

/** Returns undefined if there is no such firing, or if it belongs to another tenant. */
export async function readFiringLife(
  store: Store,
  { scheduleId, scheduledTime }: FiringKey,
  tenant: string | undefined,
): Promise<FiringLife | undefined> {
  const { rows } = await sql<FiringLife>`
    select f.ready_at as "readyAt", f.first_attempted_at as "firstAttemptedAt", f.start_attempted_at as "startAttemptedAt",
      f.check_at as "checkAt", f.refused_since as "refusedSince", f.interrupt,
      f.interrupted_at as "interruptedAt", f.epoch, f.task_queue as "taskQueue", f.owner, t.host as "ownerHost"
    from ${store.table('firings')} f left join ${store.table('triggers')} t on t.id = f.owner
    where f.schedule_id = ${scheduleId} and f.scheduled_time = ${scheduledTime} and ${ofTenant(store, scheduleId, tenant)}`.execute(
    store.db,
  );
  return rows[0];
}
