import { randomUUID } from 'node:crypto';
import { someSchedule, type TestLedger } from '../ledger';

/** Write a letter as a trigger does for a firing with this end. */
export async function writeLetter(
  ledger: TestLedger,
  row: {
    kind?: string;
    state?: string;
    reason?: string;
    step?: string;
    firing?: { state: string; outcome?: string; epoch?: number } | 'none';
  } = {},
): Promise<string> {
  const {
    kind = 'workflow',
    state = 'open',
    reason = 'failed',
    step = 'chargeCard',
    firing = { state: 'closed', outcome: 'failed' },
  } = row;
  const { scheduleId } = await ledger.client.create(someSchedule());
  const { scheduledTime } = await ledger.client.getHandle(scheduleId).trigger();
  if (firing === 'none') await ledger.query('delete from escapement.firings where schedule_id = $1', [scheduleId]);
  else {
    await ledger.query(
      `update escapement.firings set state = $2, outcome = $3, epoch = $4, run_id = 'run' where schedule_id = $1`,
      [scheduleId, firing.state, firing.outcome ?? null, firing.epoch ?? 0],
    );
  }
  const letterId = randomUUID();
  await ledger.query(
    `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, workflow_id,
       run_id, failed_step, created_at, updated_at)
     values ($1, $2, $3, 0, $4, $6, $7, 'default', 'w', 'run', $5, now(), now())`,
    [
      letterId,
      scheduleId,
      scheduledTime,
      kind,
      { activityType: step, runId: 'run', failure: { type: 'CardDeclined', message: 'no money' } },
      state,
      reason,
    ],
  );
  return letterId;
}
