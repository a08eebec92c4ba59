import { sql } from 'kysely';
import { type FiringState, type RunAgain, transition } from '../../core/firing';
import type { OverlapPolicy } from '../../core/schedule/policies';
import type { Store } from '../connection';
import type { LockedSchedule } from '../schedules/lock';
import { wakeTimer } from './buffered';

export interface FiringAgain {
  scheduledTime: Date;
  state: FiringState;
  epoch: number;
  workflowId: string;
  actor: string;
  overlap: OverlapPolicy | undefined;
  again: RunAgain;
}

/**
 * skipped | abandoned | closed → buffered, in a new epoch and by the locked definition. The claim pass then decides the
 * firing's overlap. The firing then counts as requested by a person, and no longer as a firing of the spec. The caller
 * has read the firing after it locked the schedule.
 */
export async function bufferAgain(transaction: Store, locked: LockedSchedule, firing: FiringAgain): Promise<void> {
  await sql`
    update ${transaction.table('firings')} set state = ${transition(firing.state, 'buffered')}, epoch = ${firing.epoch},
      kind = case when kind = 'manual' then kind else 'backfill' end, actor = ${firing.actor}, overlap = ${firing.overlap ?? null},
      again = ${JSON.stringify(firing.again)}::jsonb, namespace = ${locked.definition.namespace},
      -- A manual firing with arguments of its own keeps them.
      schedule_version = case when schedule_version < 0 then schedule_version else ${locked.version} end,
      workflow_id = ${firing.workflowId}, run_id = null, outcome = null, reason = null, owner = null, check_at = null,
      start_attempts = 0, first_attempted_at = null, start_attempted_at = null, recovery = null, last_error = null, refused_since = null,
      interrupt = null, interrupt_at = null, interrupted_at = null, stalled = null, starts_at = null,
      claimed_at = ${locked.now}, linked_at = null, closed_at = null
    where schedule_id = ${locked.scheduleId} and scheduled_time = ${firing.scheduledTime} and state = ${firing.state}`.execute(
    transaction.db,
  );
  await wakeTimer(transaction, locked);
}

export async function noteAgain(
  transaction: Store,
  { scheduleId }: LockedSchedule,
  scheduledTime: Date,
  again: RunAgain,
): Promise<void> {
  await sql`update ${transaction.table('firings')} set again = ${JSON.stringify(again)}::jsonb
    where schedule_id = ${scheduleId} and scheduled_time = ${scheduledTime}`.execute(transaction.db);
}

export async function readEpoch(transaction: Store, scheduleId: string, scheduledTime: Date): Promise<number> {
  const { rows } = await sql<{ epoch: number }>`select epoch from ${transaction.table('firings')}
    where schedule_id = ${scheduleId} and scheduled_time = ${scheduledTime}`.execute(transaction.db);
  return rows[0]?.epoch ?? 0;
}
