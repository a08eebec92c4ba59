import type { EscapementClient } from '../../../client/client';

/** The ledger to fill, and its current time. */
export interface FillTarget {
  client: EscapementClient;
  query(text: string, values?: unknown[]): Promise<unknown>;
  now: Date;
}

const DAY = 86_400_000;
/**
 * The number of firings per schedule, three days apart. So each of the thirty days, today included, has a thirtieth of
 * all firings.
 */
const FIRINGS = 10;
const DAYS_BETWEEN = 3;
/** The number of schedules that fire every five minutes. They have the most firings, so their pages are the longest. */
const BUSY = 5;
const BUSY_FIRINGS = 2_000;
const TABLES = ['firings', 'schedules', 'schedule_versions', 'timers', 'dead_letters', 'letters', 'gaps'];

/**
 * Fills the ledger with schedules of several kinds of specs, some of them paused, and with firings of the last thirty
 * days and their dead letters.
 */
export async function fillDashboard({ client, query, now }: FillTarget, schedules: number): Promise<void> {
  await client.create({
    scheduleId: 'seed',
    spec: { cron: '0 * * * *', timezone: 'Europe/Berlin' },
    action: { type: 'startWorkflow', workflowType: 'report', taskQueue: 'reports' },
  });
  for (let days = -40; days <= 30; days += 10) {
    await query(`select escapement.ensure_partition($1)`, [new Date(now.getTime() + days * DAY)]);
  }
  const at = now.toISOString();
  await query(`insert into escapement.schedules (schedule_id, version, created_at, source, note, paused, paused_at, paused_by)
    select 'team-' || n % 40 || '-job-' || n, 1, '${at}'::timestamptz - interval '90 days', 'team-' || n % 40,
      case when n % 10 = 0 then 'Asked for by the finance department' end, n % 100 = 7,
      case when n % 100 = 7 then '${at}'::timestamptz - n * interval '1 second' end, case when n % 100 = 7 then 'ann@example.com' end
    from generate_series(1, ${schedules}) n`);
  await query(`insert into escapement.schedule_versions (schedule_id, version, namespace, spec, action, policies, created_at)
    select 'team-' || n % 40 || '-job-' || n, 1, case when n % 10 = 0 then 'batch' else 'default' end,
      jsonb_build_object('cron', case
          when n % 10 < 6 then (n % 4) * 15 || ' ' || n % 24 || ' * * ' || (array['*', '1-5'])[1 + n % 2]
          when n % 10 < 8 then (array['H H(1-5) * * *', 'H H * * *', 'H */6 * * *', 'H * * * *'])[1 + n / 10 % 4]
          else n / 7 % 60 || ' ' || n / 3 % 24 || ' * * *' end,
        'timezone', (array['Europe/Berlin', 'America/New_York', 'UTC', 'Asia/Tokyo'])[1 + n / 1000 % 4])
        || case when n % 20 = 0 then '{"jitter": 60000}'::jsonb else '{}' end,
      v.action || jsonb_build_object('taskQueue', 'queue-' || n % 40, 'workflowType', 'job' || n % 200), v.policies,
      '${at}'::timestamptz - interval '90 days'
    from escapement.schedule_versions v, generate_series(1, ${schedules}) n where v.schedule_id = 'seed'`);
  // Paused schedules have no next time.
  await query(`insert into escapement.timers (schedule_id, spec_format, wake_at, next_fire_at, last_fire_at, answered_to)
    select 'team-' || n % 40 || '-job-' || n, 1, case when n % 100 = 7 then 'infinity' else x.next end, case when n % 100 <> 7 then x.next end, '${at}', '${at}'
    from generate_series(1, ${schedules}) n,
      lateral (select date_trunc('minute', '${at}'::timestamptz) + interval '1 hour' + (n * 7919 % 1440) * interval '1 minute' as next) x`);
  await query(
    insertFirings(at, `generate_series(1, ${schedules}) n, generate_series(0, ${FIRINGS - 1}) k`, {
      time: `k * interval '${DAYS_BETWEEN} days' + (n * 7919 % ${schedules}) * interval '${DAYS_BETWEEN} days' / ${schedules}`,
      seed: `n * ${FIRINGS} + k`,
    }),
  );
  await query(
    insertFirings(at, `generate_series(1, ${BUSY}) n, generate_series(0, ${BUSY_FIRINGS - 1}) k`, {
      // The busy schedules also have the ten firings above. The seven seconds keep the nominal times of both apart.
      time: `k * interval '5 minutes' + interval '7 seconds'`,
      seed: 'k',
    }),
  );
  // Each of these tables gets half of the letters.
  for (const [table, half] of [
    ['dead_letters', 0],
    ['letters', 1],
  ] as const) {
    await query(`insert into escapement.${table} (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, workflow_id,
        run_id, workflow_type, failed_step, redrive, created_at, updated_at)
      select gen_random_uuid(), schedule_id, scheduled_time, 0, 'workflow', case when r % 10 = 0 then 'open' else 'resolved' end, outcome,
        namespace, workflow_id, run_id, 'job' || r / 2 % 10, jsonb_build_object('activityType', 'step' || r / 2 % 4, 'attempts', 3, 'failure',
          jsonb_build_object('type', 'Failure' || r / 2 % 20, 'message', 'the other side said no for the ' || r || 'th time')),
        case when r % 10 > 0 then jsonb_build_object('mode', 'restart', 'carriedOutAt', closed_at) end, closed_at, closed_at
      from (select *, row_number() over (order by scheduled_time, schedule_id) as r from escapement.firings where outcome in ('failed', 'timed_out')) f
      where r / 10 % 2 = ${half}`);
  }
  await query(`insert into escapement.gaps (schedule_id, from_time, to_time, count, reason, recorded_at)
    select 'team-' || n % 40 || '-job-' || n, x.at, x.at, 1, (array['paused', 'outside_catchup_window'])[1 + n % 2], x.at
    from generate_series(1, ${schedules}) n, lateral (select '${at}'::timestamptz - n * interval '26 seconds' as at) x`);
  await query(`insert into escapement.triggers (id, host, version, heartbeat_at, schema_version, tz, icu)
    select gen_random_uuid(), 'scheduler-' || n, '0.1.0', '${at}'::timestamptz, (select (value ->> 'version')::int from escapement.meta where key = 'schema'),
      '${process.versions.tz}', '${process.versions.icu}' from generate_series(1, 2) n`);
  await query(
    `update escapement.meta set value = coalesce(value, '{}') || '{"staleAfterMilliseconds": 86400000}' where key = 'settings'`,
  );
  for (const table of TABLES) await query(`vacuum analyze escapement.${table}`);
}

/** The SQL that inserts firings. */
function insertFirings(at: string, rows: string, { time, seed }: { time: string; seed: string }): string {
  return `insert into escapement.firings (schedule_id, scheduled_time, state, outcome, reason, kind, namespace, schedule_version,
      workflow_id, run_id, tenant, task_queue, check_at, claimed_at, first_attempted_at, start_attempted_at, linked_at, closed_at)
    select 'team-' || n % 40 || '-job-' || n, t, state, case when state = 'closed' then outcome end, case when state = 'skipped' then 'overlap' end,
      'schedule', case when n % 10 = 0 then 'batch' else 'default' end, 1, case when state <> 'skipped' then 'team-' || n % 40 || '-job-' || n || '-' || t end,
      case when state <> 'skipped' then gen_random_uuid()::text end, '',
      'queue-' || n % 40, case when state = 'linked' then '${at}'::timestamptz + interval '1 hour' end, t, t, t, case when state <> 'skipped' then t + lag end,
      case when state = 'closed' then t + lag + interval '20 seconds' end
    from ${rows},
      lateral (select date_trunc('second', '${at}'::timestamptz - interval '1 minute' - (${time})) as t, (20 + (${seed}) % 400) * interval '1 ms' as lag,
        case when (${seed}) % 100 < 3 then (array['failed', 'failed', 'timed_out'])[1 + (${seed}) % 3] when (${seed}) % 200 = 99 then 'terminated' else 'completed' end as outcome) x,
      lateral (select case when t > '${at}'::timestamptz - interval '10 minutes' and (${seed}) % 2 = 0 then 'linked' when (${seed}) % 100 = 50 then 'skipped' else 'closed' end as state) y
    order by t on conflict do nothing`;
}
