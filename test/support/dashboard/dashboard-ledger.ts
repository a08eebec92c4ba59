import type { TestLedger } from '../ledger';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/**
 * A realistic ledger of a company after some weeks: mostly healthy, with a bit of everything. Times are relative to
 * `now`.
 */
export async function fillDashboardLedger(ledger: TestLedger, now: Date): Promise<void> {
  const { client } = ledger;
  const at = (milliseconds: number) => new Date(now.getTime() + milliseconds);
  const create = (scheduleId: string, cron: string, more: object = {}) =>
    client.create({
      scheduleId,
      spec: { cron, timezone: 'Europe/Berlin' },
      action: action('report', 'reports'),
      ...more,
    });
  await create('nightly-report', '0 2 * * *');
  await create('hourly-sync', '0 * * * *', { action: action('syncAccounts', 'sync') });
  await create('invoices-emea', '30 1 * * *', {
    action: action('sendInvoices', 'billing'),
    policies: { overlap: 'SKIP' },
  });
  await create('card-charges', '*/15 * * * *', { action: action('chargeCards', 'billing') });
  await create('cleanup', '15 2 * * *', { action: action('cleanUp', 'maintenance') });
  await create('backup-verify', 'H H(1-3) * * *', { action: action('verifyBackup', 'maintenance') });
  await create('fx-rates', '*/5 * * * *', { action: action('fetchRates', 'sync') });
  for (let n = 1; n <= 40; n++) {
    await create(`tenant-${String(n).padStart(2, '0')}-digest`, '0 7 * * 1-5', { action: action('digest', 'mail') });
  }
  for (let month = -4; month <= 1; month++) {
    const date = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + month, 1));
    await ledger.query('select escapement.ensure_partition($1)', [date]);
  }
  // Schedules are some weeks old.
  for (const table of ['schedules', 'schedule_versions']) {
    await ledger.query(`update escapement.${table} set created_at = $1`, [at(-60 * DAY)]);
  }
  const fire = (scheduleId: string, first: Date, every: number, count: number, fails = 'false') =>
    ledger.query(
      `insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version, workflow_id,
          run_id, tenant, task_queue, claimed_at, first_attempted_at, start_attempted_at, linked_at, closed_at)
        select $1, t, 'closed', case when ${fails} then 'failed' else 'completed' end, 'schedule', 'default', 1, $1 || '-workflow-' || to_char(t at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
          gen_random_uuid()::text, '', v.action ->> 'taskQueue', t + interval '60 ms', t + interval '90 ms', t + interval '90 ms',
          t + (120 + 40 * (n % 7)) * interval '1 ms', t + (20 + 5 * (n % 11)) * interval '1 second'
        from generate_series(0, $4::int - 1) n, lateral (select $2::timestamptz + n * $3::float8 * interval '1 ms' as t) x,
          escapement.schedule_versions v where v.schedule_id = $1`,
      [scheduleId, first, every, count],
    );
  const hour = new Date(Math.floor(now.getTime() / HOUR) * HOUR);
  const before = (instant: Date, milliseconds: number) => new Date(instant.getTime() - milliseconds);
  await fire('hourly-sync', before(hour, 399 * HOUR), HOUR, 400, 'n in (120, 121, 301)');
  const quarter = new Date(Math.floor(now.getTime() / (HOUR / 4)) * (HOUR / 4));
  await fire('card-charges', before(quarter, 299 * (HOUR / 4)), HOUR / 4, 300, 'n >= 291');
  const five = new Date(Math.floor(now.getTime() / (HOUR / 12)) * (HOUR / 12));
  await fire('fx-rates', before(five, 599 * (HOUR / 12)), HOUR / 12, 600, 'n % 97 = 5');
  const night = berlinNight(now);
  await fire('nightly-report', before(night, 45 * DAY), DAY, 43);
  await fire('cleanup', before(night, 45 * DAY - HOUR / 4), DAY, 46);
  await fire('invoices-emea', before(night, 45 * DAY + HOUR / 2), DAY, 46, 'n = 30');
  // The schedule `nightly-report` was paused over the last two nights, and unpaused this morning.
  await ledger.query(
    `insert into escapement.gaps (schedule_id, from_time, to_time, count, reason, recorded_at) values ('nightly-report', $1, $2, 3, 'paused', $3)`,
    [before(night, 2 * DAY), night, before(now, HOUR)],
  );
  await ledger.query(
    `update escapement.timers t set answered_to = $1, last_fire_at = (select max(scheduled_time) from escapement.firings f where f.schedule_id = t.schedule_id)`,
    [now],
  );
  await ledger.query(
    `update escapement.firings set state = 'linked', outcome = null, closed_at = null, check_at = $1 where schedule_id = 'card-charges' and scheduled_time = $2`,
    [at(HOUR), quarter],
  );
  await ledger.query(
    `update escapement.firings set recovery = '{"number": 1, "recoveredAt": "${before(hour, 9 * HOUR).toISOString()}", "reason": "trigger_lost"}'
      where schedule_id = 'hourly-sync' and scheduled_time = $1`,
    [before(hour, 9 * HOUR)],
  );
  await ledger.query(
    `update escapement.firings set state = 'skipped', outcome = null, reason = 'overlap', run_id = null, workflow_id = null, linked_at = null, closed_at = null
      where schedule_id = 'hourly-sync' and scheduled_time in ($1, $2)`,
    [before(hour, 20 * HOUR), before(hour, 19 * HOUR)],
  );
  await ledger.query(
    `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, workflow_id, run_id,
        failed_step, workflow_type, resume_until, created_at, updated_at)
      select gen_random_uuid(), schedule_id, scheduled_time, 0, 'workflow', case when closed_at > $1 then 'open' else 'resolved' end, 'failed', 'default', workflow_id, run_id,
        case when schedule_id = 'card-charges'
          then '{"activityType": "chargeCard", "attempts": 3, "failure": {"type": "CardDeclined", "message": "the issuer declined: limit exceeded"}}'::jsonb
          else '{"activityType": "fetch", "attempts": 5, "failure": {"type": "Timeout", "message": "rates.example.com did not answer within 30 s"}}'::jsonb end,
        case when schedule_id = 'card-charges' then 'chargeCards' else 'fetchRates' end, now() + interval '20 days', closed_at, closed_at
      from escapement.firings where outcome = 'failed'`,
    [at(-2 * DAY)],
  );
  const ann = ledger.newClient({ identity: 'ann@example.com' });
  await ann.getHandle('cleanup').pause('Disk migration, until Friday');
  await ledger.query(
    `insert into escapement.alerts (alert_id, condition, subject, tenant, schedule_id, opened_at, last_seen_at, looked_at, count, text)
      values (gen_random_uuid(), 'failing', 'card-charges', '', 'card-charges', $1, $2, $2, 8, '''card-charges'' failed 8 times in a row, the last time with CardDeclined: the issuer declined.')`,
    [at(-2 * HOUR), now],
  );
  await ledger.query(
    `insert into escapement.triggers (id, host, version, heartbeat_at, schema_version, tz, icu)
      select gen_random_uuid(), 'scheduler-' || n, '0.1.0', $1, (select (value ->> 'version')::int from escapement.meta where key = 'schema'), $2, $3
      from generate_series(1, 2) n`,
    [now, process.versions.tz, process.versions.icu],
  );
  // Nobody sends further heartbeats, so the triggers must stay alive for the length of a test.
  await client.settings.set({ staleAfter: '1 hour' });
}

function action(workflowType: string, taskQueue: string) {
  return { type: 'startWorkflow' as const, workflowType, taskQueue };
}

/** The last instant before `now` at which it was two o'clock in Berlin. */
function berlinNight(now: Date): Date {
  for (let back = 0; ; back += HOUR / 2) {
    const instant = new Date(Math.floor(now.getTime() / (HOUR / 2)) * (HOUR / 2) - back);
    const clock = instant.toLocaleTimeString('en-GB', {
      timeZone: 'Europe/Berlin',
      hour: '2-digit',
      minute: '2-digit',
    });
    if (clock === '02:00') return instant;
  }
}
