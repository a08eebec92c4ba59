import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Client } from 'pg';
import { beforeEach, expect, inject, it } from 'vitest';
import { diagnose } from '../../../doctor/diagnose';
import type { Finding } from '../../../doctor/finding';
import { EscapementClient } from '../../../index';
import { migrate } from '../../../migrations';
import { Trigger } from '../../../trigger';
import { Webhook } from '../../support/alerts/webhook';
import { proxyOf } from '../../support/connections/proxy';
import { someSchedule, useLedger } from '../../support/ledger';
import { MemoryLogger } from '../../support/logger';
import { wordsOf } from '../../support/pages/page-commands';
import { runCommand } from '../../support/processes/command';
import { startPrimary } from '../../support/servers/postgres-server';
import { useWorker } from '../../support/temporal';

// The run-books of docs/operations.md, each carried out as written: the fault, what doctor and the alert say, the
// commands, the end. "A poison step" is drilled in incident-page.test.ts.

const PAGE = readFileSync(resolve(__dirname, '../../../docs/operations.md'), 'utf8');
const SECRET = `whsec_${Buffer.alloc(32, 'a').toString('base64')}`;
// Some minutes ago. Commands use the clock of the database, and the drill moves the ledger's clock up to it.
const ledger = useLedger(new Date(Math.floor(Date.now() / 60_000) * 60_000 - 300_000).toISOString());
const worker = useWorker();
let webhook: Webhook;

beforeEach(async () => {
  webhook = await new Webhook().listen();
  ledger().beforeClose(() => webhook.close());
});

const alerts = () => ({ webhooks: [{ url: webhook.url, secret: SECRET }] });
const told = (condition: string) =>
  webhook.received
    .filter(({ message }) => message.data.condition === condition)
    .map(({ message }) => message.type.replace('alert.', ''));

/** The text below a heading of the page. */
function section(runBook: string): string {
  const part = PAGE.split(/^## /m).find((one) => one.split('\n')[0]!.toLowerCase().replaceAll(' ', '-') === runBook);
  expect(part, runBook).toBeDefined();
  return part!;
}

/** A command of a run-book. */
async function command(runBook: string, text: string, variables: Record<string, string> = {}): Promise<string> {
  expect(section(runBook)).toContain(`\`${text}\``);
  const [, ...args] = wordsOf(text.replace(/\b(ID|TIME)\b/g, '$$$1'), variables);
  const env = { DATABASE_URL: ledger().databaseUrl, TEMPORAL_ADDRESS: inject('temporalAddress') };
  const { stdout, stderr, code } = await runCommand(args, env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

async function findings(address = inject('temporalAddress'), connectionString?: string): Promise<Finding[]> {
  return diagnose({
    postgres: { connectionString: connectionString ?? ledger().databaseUrl },
    temporal: { connection: { address }, namespaces: {}, namespace: 'default' },
    ...(connectionString === undefined ? { now: () => ledger().clock.now() } : {}),
  });
}

/** Doctor leads to a run-book by a finding of this ID. */
function expectLeads(found: Finding[], id: string, runBook: string): void {
  expect(found.filter((one) => one.id === id).map((one) => one.runBook)).toEqual([runBook]);
  section(runBook);
}

/** Advance the clock, and run the passes as their loops would. */
async function go({ passes }: Trigger, seconds: number, by = ledger().clock): Promise<void> {
  by.advance(seconds * 1_000);
  const order = [
    ...(['heartbeat', 'adopt', 'sweep', 'claim', 'verify', 'askAway', 'reconcile', 'dispatch', 'observe'] as const),
    ...(['heartbeat', 'alert', 'sendAlerts'] as const),
  ];
  for (const pass of order) await passes[pass]().catch(() => undefined);
}

const action = () => ({ type: 'startWorkflow', workflowType: 'echoFiring', taskQueue: worker().taskQueue }) as const;
const minutely = () => ledger().client.create(someSchedule({ spec: { cron: '* * * * *' }, action: action() }));
const states = async (scheduleId: string) => (await ledger().firings(scheduleId)).map(({ state }) => state);

it('late firings: explain names who holds the schedule, and it fires by itself once that session is ended', {
  timeout: 120_000,
}, async () => {
  const { scheduleId } = await minutely();
  const trigger = await ledger().trigger({ alerts: alerts() });
  await go(trigger, 1);
  const holder = new Client({ connectionString: ledger().databaseUrl, application_name: 'somebody' });
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from escapement.timers where schedule_id = $1 for update', [scheduleId]);
  const time = new Date(Math.ceil(ledger().clock.now() / 60_000) * 60_000).toISOString();
  // Later than the clock of the database, so that the command finds the trigger alive.
  for (let pass = 0; pass < 23; pass++) await go(trigger, 20);

  const found = await findings();
  expectLeads(found, 'overdue', 'late-firings');
  expectLeads(found, 'lock_held', 'postgres');
  expect(told('lock_held')).toEqual(['opened']);
  expect(told('overdue')).toEqual([]);
  const said = await command('late-firings', 'escapement explain ID TIME', { ID: scheduleId, TIME: time });
  const [, pid] = /process (\d+)/.exec(said)!;
  expect(section('postgres')).toContain('`select pg_terminate_backend(PID)`');
  await ledger().query('select pg_terminate_backend($1)', [pid]);
  for (let pass = 0; pass < 3; pass++) await go(trigger, 5);
  expect(told('lock_held')).toEqual(['opened', 'resolved']);
  expect((await ledger().firings(scheduleId)).map(({ scheduledTime }) => scheduledTime.toISOString())).toContain(time);
});

it('Temporal down: it is told, what is due waits, and it starts after the first answer with nothing to be done', {
  timeout: 120_000,
}, async () => {
  const { scheduleId } = await minutely();
  const way = await proxyOf(inject('temporalAddress'));
  const trigger = await ledger().trigger({ connection: { address: way.address }, alerts: alerts() });
  await go(trigger, 1);
  way.cut();
  for (let pass = 0; pass < 15; pass++) await go(trigger, 10);
  const found = await findings(way.address);
  expectLeads(found, 'namespace_unreachable', 'temporal-down');
  expectLeads(found, 'temporal_unreachable', 'temporal-down');
  expect(told('namespace_unreachable')).toEqual(['opened']);
  expect(told('late')).toEqual([]);
  expect(await states(scheduleId)).toContain('claimed');
  way.restore();
  await expect
    .poll(
      async () => {
        await go(trigger, 2);
        return (await states(scheduleId)).filter((state) => state === 'claimed');
      },
      { timeout: 60_000 },
    )
    .toEqual([]);
  for (let pass = 0; pass < 2; pass++) await go(trigger, 5);
  expect(told('namespace_unreachable')).toEqual(['opened', 'resolved']);
});

it('Postgres failover: it is told from memory, the new primary is found, and firing goes on there', {
  timeout: 240_000,
}, async () => {
  const primary = await startPrimary();
  await migrate({ connectionString: primary.url() });
  const way = await proxyOf(primary.address);
  const { clock } = ledger();
  const now = () => new Date(clock.now());
  const client = new EscapementClient({ connectionString: primary.url(), now });
  const { scheduleId } = await client.create(someSchedule({ spec: { cron: '* * * * *' }, action: action() }));
  await client.close();
  const trigger = await Trigger.createTuned({
    connectionString: primary.url(way.address),
    connection: { address: inject('temporalAddress') },
    logger: new MemoryLogger(),
    clock,
    alerts: alerts(),
  });
  ledger().beforeClose(() => trigger.close());
  for (let pass = 0; pass < 3; pass++) await go(trigger, 30);
  const standby = await (await primary.backUp()).startStandby(primary.address, 'standby');
  await primary.stop();
  way.leadTo(standby.address);
  for (let pass = 0; pass < 5; pass++) await go(trigger, 10);
  expectLeads(await findings(undefined, primary.url(way.address)), 'read_only', 'postgres-failover');
  expect(told('ledger_unavailable')).toEqual(['opened']);

  await standby.query('select pg_promote()');
  const linked = async () =>
    (await standby.query(`select from escapement.firings where schedule_id = '${scheduleId}' and run_id is not null`))
      .length;
  const before = await linked();
  await expect
    .poll(
      async () => {
        await go(trigger, 20);
        return linked();
      },
      { timeout: 120_000 },
    )
    .toBeGreaterThan(before);
  await go(trigger, 5);
  expect(told('ledger_unavailable')).toEqual(['opened', 'resolved']);
  expect((await findings(undefined, primary.url(way.address))).map(({ id }) => id)).not.toContain('read_only');
});

it('a bad deploy: a schema of another version and hosts that were left behind are found, and workers whose task fails are told', {
  timeout: 240_000,
}, async () => {
  const notDeployed = { ...action(), workflowType: 'notDeployedYet' };
  const { scheduleId } = await ledger().client.create(someSchedule({ action: notDeployed, spec: {} }));
  const trigger = await ledger().trigger({ alerts: alerts() });
  await go(trigger, 1);
  await ledger().client.getHandle(scheduleId).trigger();
  await go(trigger, 1);
  await expect
    .poll(
      async () => {
        await go(trigger, 30);
        return told('stalled');
      },
      { timeout: 120_000, interval: 2_000 },
    )
    .toEqual(['opened']);
  expectLeads(await findings(), 'stalled', 'workers');
  expect(section('workers')).toContain('(#a-bad-deploy)');
  // Instead of rolling back the workers, end the run, and let the schedule start a workflow type that they know.
  const [firing] = await ledger().firings(scheduleId);
  await worker().client.workflow.getHandle(firing!.workflowId!).terminate();
  for (let pass = 0; pass < 3; pass++) await go(trigger, 60);
  expect(told('stalled')).toEqual(['opened', 'resolved']);

  const older = randomUUID();
  await ledger().query(
    `insert into escapement.triggers (id, host, version, heartbeat_at, schema_version) values ($1, 'older', '0.0.1', now() + interval '1 day', 9)`,
    [older],
  );
  expectLeads(await findings(), 'trigger_outdated', 'a-bad-deploy');
  await ledger().query('delete from escapement.triggers where id = $1', [older]);
  const [kept] = await ledger().query<{ value: object }>(`select value from escapement.meta where key = 'schema'`);
  await ledger().query(
    `update escapement.meta set value = value || '{"version": 9999, "oldestProgram": 9999}' where key = 'schema'`,
  );
  expectLeads(await findings(), 'schema', 'a-bad-deploy');
  await ledger().query(`update escapement.meta set value = $1 where key = 'schema'`, [JSON.stringify(kept!.value)]);
  expect((await findings()).filter(({ runBook }) => runBook === 'a-bad-deploy')).toEqual([]);
});

it('a stampede: stats show how many wait for the cap that is named, and a raised cap lets them go', {
  timeout: 120_000,
}, async () => {
  const { taskQueue } = worker();
  const handles = [];
  for (let index = 0; index < 5; index++) {
    handles.push(await ledger().client.create(someSchedule({ spec: {}, action: action() })));
  }
  const capped = await ledger().trigger({
    alerts: alerts(),
    maxStartsPerSecond: { taskQueues: { [taskQueue]: 1 / 3_600 } },
    monotonic: () => ledger().clock.now(),
  });
  await go(capped, 1);
  for (const handle of handles) await handle.trigger();
  for (let pass = 0; pass < 16; pass++) await go(capped, 5);
  const found = await findings();
  expectLeads(found, 'cap_full', 'a-stampede');
  expect(found.find(({ id }) => id === 'cap_full')!.text).toContain(`task queue '${taskQueue}'`);
  expect(told('cap_full')).toEqual(['opened']);
  expect(await command('a-stampede', 'escapement stats')).toMatch(/claimed +4/);
  await capped.close();
  const raised = await ledger().trigger({ alerts: alerts(), maxStartsPerSecond: { taskQueues: { [taskQueue]: 100 } } });
  for (let pass = 0; pass < 5; pass++) await go(raised, 5);
  expect(await command('a-stampede', 'escapement stats')).toMatch(/claimed +0/);
  expect(told('cap_full')).toEqual(['opened', 'resolved']);
});
