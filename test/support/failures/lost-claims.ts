import type { TestLedger } from '../ledger';

/** Write claims of the schedule without an owner, due for a check. Each is one second before the previous one. */
export async function loseClaims(ledger: TestLedger, scheduleId: string, count: number): Promise<void> {
  await ledger.query(`select escapement.ensure_partition('2026-02-01Z')`);
  await ledger.query(
    `insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version, workflow_id,
       check_at, claimed_at, last_error)
     select $1, '2026-02-28T23:00Z'::timestamptz - k * interval '1 second', 'claimed', 'schedule', 'default', 1,
       $1 || k, '2026-03-01Z', '2026-03-01T00:30Z', 'away' from generate_series(1, $2::int) k`,
    [scheduleId, count],
  );
}
