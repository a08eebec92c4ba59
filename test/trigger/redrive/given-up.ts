import type { SchedulePolicies } from '../../../core/schedule/policies';
import { someSchedule, type TestLedger } from '../../support/ledger';

/** A schedule with several abandoned starts, each with its letter. */
export async function giveUp(
  ledger: TestLedger,
  policies: SchedulePolicies,
  count = 3,
  apart = '1 hour',
): Promise<string> {
  const { scheduleId } = await ledger.client.create(someSchedule({ policies }));
  await ledger.query(`select escapement.ensure_partition('2026-03-01T12:00:00Z')`);
  await ledger.query(
    `with given_up as (
       insert into escapement.firings (schedule_id, scheduled_time, state, reason, kind, namespace, schedule_version, workflow_id, claimed_at)
       select $1, '2026-03-01T00:00:00Z'::timestamptz + i * $3::interval, 'abandoned', 'start_rejected', 'schedule', 'default', 1,
         $1 || '-workflow-' || i, now() from generate_series(1, $2) i returning *)
     insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, reason, namespace, created_at, updated_at)
     select gen_random_uuid(), schedule_id, scheduled_time, 0, 'start', reason, namespace, scheduled_time, scheduled_time from given_up`,
    [scheduleId, count, apart],
  );
  return scheduleId;
}
