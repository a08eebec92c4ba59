import { sql } from 'kysely';
import { transition } from '../core/firing';
import type { OverlapPolicy } from '../core/schedule';
import { wakeTimer } from './buffered';
import type { Store } from './connection';
import type { LockedSchedule } from './lock';

/**
 * The key of the next manual firing: the first free millisecond of the current second, .001 to .999, so that it never
 * takes an occurrence's key; the next second when all are taken. The caller holds the schedule's lock.
 */
export async function nextManualTime(transaction: Store, locked: LockedSchedule): Promise<Date> {
  const { rows } = await sql<{ latest: Date | null }>`
    select max(scheduled_time) as latest from ${transaction.table('firings')}
    where schedule_id = ${locked.scheduleId} and kind = 'manual'
      and scheduled_time >= date_trunc('second', ${locked.now}::timestamptz)`.execute(transaction.db);
  const second = Math.floor(locked.now.getTime() / 1_000) * 1_000;
  const next = Math.max(second, rows[0]?.latest?.getTime() ?? 0) + 1;
  return new Date(next % 1_000 === 0 ? next + 1 : next);
}

/** A firing that a person asked for. */
export interface ManualFiring {
  scheduledTime: Date;
  workflowId: string;
  actor: string;
  /** Its own overlap policy; the schedule's without one. */
  overlap: OverlapPolicy | undefined;
}

/** ∅ → buffered: the claim pass decides its overlap at once, paused or not. */
export async function bufferManualFiring(
  transaction: Store,
  locked: LockedSchedule,
  firing: ManualFiring,
): Promise<void> {
  await sql`insert into ${transaction.table('firings')} (schedule_id, scheduled_time, state, kind, actor, overlap, namespace,
      schedule_version, workflow_id, claimed_at)
    values (${locked.scheduleId}, ${firing.scheduledTime}, ${transition('absent', 'buffered')}, 'manual', ${firing.actor},
      ${firing.overlap ?? null}, ${locked.definition.namespace}, ${locked.version}, ${firing.workflowId}, ${locked.now})`.execute(
    transaction.db,
  );
  await wakeTimer(transaction, locked);
}
