import { Registry } from 'prom-client';
import { expect, inject, it } from 'vitest';
import { openStore } from '../../../store/connection';
import { takeBackAnnouncements } from '../../../store/firings/start';
import type { TriggerOptions } from '../../../trigger';
import { DatabaseClock } from '../../../trigger/clock';
import { announceAll } from '../../support/announced';
import { someSchedule, useLedger } from '../../support/ledger';
import { runCli } from '../../support/processes/child';
import { useWorker } from '../../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();

/** The values of a trigger's metrics, by name and labels. */
async function valuesOf(registry: Registry): Promise<Record<string, number>> {
  const lines = (await registry.metrics()).split('\n').filter((line) => line && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
}

async function fired(options: Partial<TriggerOptions> = {}) {
  const { client, clock } = ledger();
  const { taskQueue } = worker();
  const schedule = (workflowType: string) =>
    someSchedule({ action: { type: 'startWorkflow', workflowType, taskQueue, args: [1] } });
  await client.create(schedule('echoFiring'));
  await client.create(schedule('alwaysFails'));
  const trigger = await ledger().trigger(options);
  clock.set('2026-03-01T01:00:02Z');
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  await expect
    .poll(async () => {
      clock.advance(1_000);
      await trigger.passes.observe();
      return (await client.stats()).running;
    })
    .toBe(0);
  return trigger;
}

it('what a trigger does is counted, and how late it did it', async () => {
  const trigger = await fired();
  expect(await valuesOf(trigger.metrics)).toMatchObject({
    'escapement_firings_claimed_total{namespace="default",kind="schedule"}': 2,
    'escapement_firings_linked_total{namespace="default",kind="schedule"}': 2,
    'escapement_firings_closed_total{namespace="default",outcome="completed"}': 1,
    'escapement_firings_closed_total{namespace="default",outcome="failed"}': 1,
    'escapement_dead_letters_opened_total{kind="workflow"}': 1,
    'escapement_firing_claim_delay_seconds_sum{namespace="default"}': 4,
    'escapement_firing_dispatch_delay_seconds_sum{namespace="default"}': 4,
    'escapement_firing_lag_seconds_sum{namespace="default",kind="schedule"}': 4,
    'escapement_firing_notice_delay_seconds_count{namespace="default"}': 2,
    'escapement_temporal_calls_total{method="startWorkflow",code="OK"}': 2,
    'escapement_pass_duration_seconds_count{pass="claim"}': 1,
    'escapement_pass_duration_seconds_count{pass="link"}': 1,
    'escapement_temporal_namespace_away{namespace="default"}': 0,
  });
});

it('an occurrence that is missed or skipped is counted with its reason', async () => {
  const { client, clock } = ledger();
  const handle = await client.create(someSchedule({ policies: { catchupWindow: '1 minute', overlap: 'SKIP' } }));
  const trigger = await ledger().trigger();
  clock.set('2026-03-01T01:30:00Z');
  await trigger.passes.claim();
  clock.set('2026-03-01T02:00:00Z');
  await trigger.passes.claim();
  await handle.delete();
  const values = await valuesOf(trigger.metrics);
  expect(values['escapement_occurrences_missed_total{reason="outside_catchup_window"}']).toBe(1);
});

it('what has not happened yet is counted as zero, so that its first time is seen as growth', async () => {
  const { client, clock } = ledger();
  const handle = await client.create(someSchedule({ policies: { overlap: 'ALLOW_ALL' } }));
  const trigger = await ledger().trigger();
  const values = await valuesOf(trigger.metrics);
  expect(values).toMatchObject({
    'escapement_occurrences_missed_total{reason="outside_catchup_window"}': 0,
    'escapement_occurrences_missed_total{reason="frozen"}': 0,
  });
  expect(values.escapement_counters_age_seconds).toBeGreaterThan(0);

  await handle.trigger();
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  const zeros = {
    'escapement_firings_late_total{namespace="default"}': 0,
    'escapement_firings_abandoned_total{namespace="default",reason="start_uncertain"}': 0,
    'escapement_firings_recovered_total{namespace="default"}': 0,
  };
  expect(await valuesOf(trigger.metrics)).toMatchObject(zeros);

  clock.set('2026-03-01T01:00:02Z');
  const second = await ledger().trigger({ metrics: trigger.metrics });
  for (const { passes } of [trigger, second]) {
    await passes.claim();
    await passes.dispatch();
    expect(await valuesOf(trigger.metrics)).toMatchObject(zeros);
  }
});

it('the lag of a manual firing counts from its request: jitter does not delay it', async () => {
  const { client, clock } = ledger();
  const spec = { cron: '0 1 * * *', jitter: '30 minutes' } as const;
  const handle = await client.create(someSchedule({ scheduleId: 'jittered', spec }));
  const trigger = await ledger().trigger();
  const { scheduledTime } = await handle.trigger();
  clock.advance(5_000);
  await trigger.passes.claim();
  expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
  const sum = 'escapement_firing_lag_seconds_sum{namespace="default",kind="manual"}';
  expect(await valuesOf(trigger.metrics)).toMatchObject({ [sum]: (clock.now() - scheduledTime.getTime()) / 1_000 });
});

it('before the first heartbeat that Postgres accepts, the age of the heartbeat counts from the start', async () => {
  const trigger = await ledger().trigger({ clock: new DatabaseClock() });
  expect((await valuesOf(trigger.metrics)).escapement_heartbeat_age_seconds).toBeGreaterThan(0);
});

it('what the ledger holds is read at a scrape, and left out while it does not answer', async () => {
  const { client, clock } = ledger();
  const registry = new Registry();
  const trigger = await fired({ metrics: registry });
  await trigger.passes.heartbeat();
  await client.create(someSchedule());
  clock.set('2026-03-01T02:00:00Z');
  await trigger.passes.claim();
  await ledger().query(
    `insert into escapement.alerts (alert_id, condition, subject, opened_at, last_seen_at, looked_at, count, text)
     values (gen_random_uuid(), 'late', 'x', now(), now(), now(), 1, 'late')`,
  );
  // The former scrape is cached for two seconds, so ask another trigger.
  const other = await ledger().trigger({ metrics: registry });
  expect(other.metrics).toBe(registry);
  const values = await valuesOf(registry);
  expect(values).toMatchObject({
    escapement_ledger_up: 1,
    escapement_firings_waiting: 3,
    escapement_firings_running: 0,
    'escapement_dead_letters_open{kind="workflow"}': 1,
    'escapement_dead_letters_open{kind="parked"}': 0,
    escapement_leases_held: 0,
    'escapement_alerts_open{condition="late"}': 1,
    'escapement_alerts_open{condition="parked"}': 0,
  });

  const last = await ledger().trigger({ metrics: registry });
  await ledger().query('alter table escapement.firings rename to elsewhere');
  const without = await valuesOf(last.metrics);
  await ledger().query('alter table escapement.elsewhere rename to firings');
  expect(without.escapement_ledger_up).toBe(0);
  expect(Object.keys(without).filter((name) => /waiting|letters_open\b|leases/.test(name))).toEqual([]);
});

it('a schedule has metrics of its own only where it was named for them', async () => {
  const { client, clock } = ledger();
  const action = { type: 'startWorkflow', workflowType: 'neverEnds', taskQueue: 'nobody' } as const;
  const { scheduleId: named } = await client.create(someSchedule({ action }));
  const { scheduleId: other } = await client.create(someSchedule({ action }));
  const trigger = await ledger().trigger({ metricsSchedules: [named] });
  clock.set('2026-03-01T01:00:02Z');
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  clock.set('2026-03-01T02:00:00Z');
  await trigger.passes.claim();
  await trigger.passes.verify();
  const values = await valuesOf(trigger.metrics);
  expect(values).toMatchObject({
    [`escapement_schedule_firing_lag_seconds_sum{schedule="${named}"}`]: 2,
    [`escapement_schedule_firings_not_started_total{schedule="${named}",reason="overlap"}`]: 1,
  });
  expect(Object.keys(values).filter((name) => name.includes(`"${other}"`))).toEqual([]);
  for (const workflowId of [named, other].map((id) => `${id}-workflow-2026-03-01T01:00:00Z`)) {
    await worker().client.workflow.getHandle(workflowId).terminate();
  }
});

/** A trigger that has announced a start, and not called it. */
async function announced() {
  await ledger().client.create(someSchedule({ scheduleId: 'hourly' }));
  const trigger = await ledger().trigger();
  ledger().clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  await announceAll(ledger(), trigger);
  return trigger;
}

const LOST = 'escapement_firings_lost_total{namespace="default"}';

it('a start that was announced and not linked is counted as lost where it is taken over', async () => {
  await announced();
  const other = await ledger().trigger();
  ledger().clock.advance(31_000);
  await other.passes.reconcile();
  expect((await valuesOf(other.metrics))[LOST]).toBe(1);
});

it('a start whose announcement was taken back is not counted as lost', async () => {
  const trigger = await announced();
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const rows = await ledger().query(
    'select schedule_id as "scheduleId", scheduled_time as "scheduledTime", start_attempted_at as at from escapement.firings',
  );
  const now = new Date(ledger().clock.now());
  await takeBackAnnouncements(store, rows as never, { announcedAt: rows[0]!.at as Date, now });
  expect(await trigger.passes.reconcile()).toMatchObject({ taken: 1 });
  expect(await valuesOf(trigger.metrics)).not.toHaveProperty([LOST], 1);
});

it('triggers that share a registry are both in its gauges, until they stop', async () => {
  const registry = new Registry();
  const first = await ledger().trigger({ metrics: registry });
  const second = await ledger().trigger({ metrics: registry });
  await ledger().client.create(someSchedule({ namespace: 'elsewhere' }));
  ledger().clock.set('2026-03-01T01:00:02Z');
  await first.passes.claim();
  await first.passes.dispatch();
  const away = async () => (await valuesOf(registry))['escapement_temporal_namespace_away{namespace="elsewhere"}'];
  expect(await away()).toBeDefined();
  await second.close();
  expect(await away()).toBeDefined();
  expect((await valuesOf(registry)).escapement_ledger_up).toBe(1);
  await first.close();
  expect(await away()).toBeUndefined();
});

it('once no trigger of a registry is left, its gauges say nothing of the ledger, the clock and heartbeats', async () => {
  const trigger = await ledger().trigger({ clock: new DatabaseClock() });
  await trigger.passes.heartbeat();
  const gauges = async () =>
    Object.keys(await valuesOf(trigger.metrics)).filter((name) =>
      /ledger_up|triggers_alive|clock_offset|heartbeat_age/.test(name),
    );
  expect(await gauges()).toHaveLength(4);
  await trigger.close();
  expect(await gauges()).toEqual([]);
});

it('a trigger that does not run is not ready, and says why', async () => {
  const trigger = await ledger().trigger();
  expect(trigger.health()).toEqual({
    state: 'INITIALIZED',
    isReady: false,
    reasons: ['the trigger is INITIALIZED'],
  });
});

it('escapement run --metrics-port serves metrics, and is ready once it runs', async () => {
  const { databaseUrl } = ledger();
  const running = runCli(['run', '--metrics-port', '0', '--metrics-host', '127.0.0.1'], {
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: inject('temporalAddress'),
  });
  const { url } = JSON.parse(await running.line(/metrics are served/)) as { url: string };
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { timeout: 60_000 }).toBe(200);
  await expect.poll(async () => (await fetch(`${url}/metrics`)).text()).toContain('escapement_ledger_up 1');
  running.kill('SIGTERM');
  expect(await running.ended()).toEqual({ code: 0, signal: null });
});
