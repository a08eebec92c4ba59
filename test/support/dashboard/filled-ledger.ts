import type { TestLedger } from '../ledger';

const TABLES = ['schedules', 'schedule_versions', 'timers', 'dead_letters', 'letters', 'gaps'];
const MONTHS = ['2025-12-01', '2026-01-01', '2026-02-01', '2026-03-01'];

/**
 * Ten firings of each schedule in four months, nearly all of them closed.
 *
 * @param statistics up to date, or from before the rows were written, as after a burst
 * @param namespace of Temporal, in which its workflows would be
 */
export async function fill(
  target: Pick<TestLedger, 'client' | 'query'>,
  schedules: number,
  statistics: 'fresh' | 'stale' = 'fresh',
  namespace = 'default',
): Promise<void> {
  const query = (text: string) => target.query(text);
  await target.client.create({
    scheduleId: 'seed',
    namespace,
    spec: { cron: '0 * * * *' },
    action: { type: 'startWorkflow', workflowType: 'echoFiring', taskQueue: 'nobody-polls' },
  });
  for (const month of MONTHS) {
    await query(`select escapement.ensure_partition('${month}T00:00Z')`);
  }
  const partitions = MONTHS.map((month) => `firings_${month.slice(0, 7).replace('-', '')}`);
  for (const table of [...TABLES, ...partitions]) {
    // Autovacuum is off, so that the statistics stay as they are.
    await query(`alter table escapement.${table} set (autovacuum_enabled = false)`);
    await query(`analyze escapement.${table}`);
  }
  await query(`insert into escapement.schedules (schedule_id, version, created_at)
    select 's' || n, 1, '2025-11-01Z' from generate_series(1, ${schedules}) n`);
  await query(`insert into escapement.schedule_versions (schedule_id, version, namespace, spec, action, policies, created_at)
    select 's' || n, 1, v.namespace, v.spec, v.action, v.policies, '2025-11-01Z'
    from escapement.schedule_versions v, generate_series(1, ${schedules}) n where v.schedule_id = 'seed'`);
  await query(`insert into escapement.timers (schedule_id, spec_format, wake_at, next_fire_at, answered_to)
    select 's' || n, 1, '2026-03-01T01:00Z'::timestamptz + n * interval '1 second', '2026-03-01T01:00Z', '2026-03-01T00:29Z'
    from generate_series(1, ${schedules}) n`);
  await query(`insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version,
      workflow_id, run_id, check_at, claimed_at, linked_at, closed_at)
    select 's' || n, t, state, case when state = 'closed' then 'completed' end, 'schedule', '${namespace}', 1, 's' || n || '-' || k,
      gen_random_uuid()::text, case when state <> 'closed' then t end, t, t, case when state = 'closed' then t end
    from generate_series(1, ${schedules}) n, generate_series(1, 10) k,
      lateral (select '2025-12-01Z'::timestamptz + k * interval '9 days' + n * interval '1 second' as t) x,
      lateral (select case when k = 10 and n % 100 = 0 then 'linked' when k = 10 and n % 100 = 1 then 'claimed' else 'closed' end as state) y`);
  // A tenth of the letters are open, of either version of the program that wrote them; the others were redriven.
  for (const table of ['dead_letters', 'letters']) {
    await query(`insert into escapement.${table} (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace,
        redrive, created_at, updated_at)
      select gen_random_uuid(), 's' || n, '2026-02-01Z', 0, 'workflow', case when n % 10 = 0 then 'open' else 'resolved' end, 'failed', '${namespace}',
        case when n % 10 > 0 then '{"mode": "restart", "carriedOutAt": "2026-02-01T00:00:00Z"}'::jsonb end, '2026-02-01Z', '2026-02-01Z' from generate_series(1, ${schedules}) n`);
  }
  await query(`insert into escapement.gaps (schedule_id, from_time, to_time, count, reason, recorded_at)
    select 's' || n, '2026-02-01Z', '2026-02-01Z', 1, 'paused', '2026-02-01Z' from generate_series(1, ${schedules}) n`);
  if (statistics === 'fresh') await refreshStatistics(target);
}

/** Bring the statistics of Postgres up to date. */
export async function refreshStatistics(target: Pick<TestLedger, 'query'>): Promise<void> {
  for (const table of ['firings', ...TABLES]) await target.query(`vacuum analyze escapement.${table}`);
}
