import { Client, Connection } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { TemporalUnreachableError } from '../../../index';
import { startSkippingServer } from '../../../testing/start-server';
import type { TriggerLimits } from '../../../trigger/limits';
import { proxyOf } from '../../support/connections/proxy';
import { temporaryFile } from '../../support/folder';
import { someSchedule, uniqueName, useLedger } from '../../support/ledger';
import { bundleOf } from '../../support/packages/bundles';
import { runCli } from '../../support/processes/child';
import { runCommand } from '../../support/processes/command';
import { useWorker } from '../../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
const main = useWorker();

/** A second real server, whose only namespace here is `billing`, with a worker. */
let billing: TestWorkflowEnvironment;
let billingQueue: string;
let stop: () => Promise<void>;
beforeAll(async () => {
  billing = await startSkippingServer(inject('testServerPath'));
  billingQueue = uniqueName('queue');
  const worker = await Worker.create({
    connection: billing.nativeConnection,
    namespace: 'billing',
    taskQueue: billingQueue,
    workflowBundle: await bundleOf(require.resolve('../../support/workers/workflows.ts')),
  });
  const running = worker.run();
  stop = async () => {
    worker.shutdown();
    await running;
    await billing.teardown();
  };
});
afterAll(() => stop());

const action = (taskQueue: string) => ({ type: 'startWorkflow' as const, workflowType: 'echoFiring', taskQueue });
const createBoth = async () => {
  const reports = await ledger().client.create(someSchedule({ action: action(main().taskQueue) }));
  const invoices = await ledger().client.create(someSchedule({ action: action(billingQueue), namespace: 'billing' }));
  return { reports: reports.scheduleId, invoices: invoices.scheduleId };
};

it('one trigger serves the namespaces of two servers, each on its own', async () => {
  const schedules = await createBoth();
  const trigger = await ledger().trigger({ namespaces: { billing: { connection: { address: billing.address } } } });
  ledger().clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  expect(await trigger.passes.dispatch()).toMatchObject({ linked: 2 });

  const result = (client: Client, scheduleId: string) =>
    client.workflow.getHandle(`${scheduleId}-workflow-2026-03-01T01:00:00Z`).result();
  const inBilling = new Client({ connection: billing.connection, namespace: 'billing' });
  const connection = await Connection.connect({ address: inject('temporalAddress') });
  const inDefault = new Client({ connection });
  try {
    expect(await result(inDefault, schedules.reports)).toMatchObject({ firing: { scheduleId: schedules.reports } });
    expect(await result(inBilling, schedules.invoices)).toMatchObject({ firing: { scheduleId: schedules.invoices } });
  } finally {
    await connection.close();
  }

  ledger().clock.advance(1_000);
  expect(await trigger.passes.observe()).toMatchObject({ closed: 2, unanswered: 0 });
  for (const id of Object.values(schedules)) {
    expect(await ledger().answers(id)).toEqual(['03-01T01:00:00 schedule closed completed']);
  }
});

it('a server that is away holds up its own namespaces alone, not even the start of the trigger', async () => {
  const schedules = await createBoth();
  const proxy = await proxyOf(billing.address);
  proxy.cut();
  const trigger = await ledger().trigger({
    namespaces: { billing: { connection: { address: proxy.address, connectTimeout: 1_000 } } },
  });
  expect(ledger().log.lines).toContainEqual(
    expect.objectContaining({ level: 'warn', meta: expect.objectContaining({ namespace: 'billing' }) }),
  );
  ledger().clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
  ledger().clock.advance(1_000);
  await expect
    .poll(async () => {
      ledger().clock.advance(1_000);
      await trigger.passes.observe();
      return ledger().answers(schedules.reports);
    })
    .toEqual(['03-01T01:00:00 schedule closed completed']);
  expect(await ledger().answers(schedules.invoices)).toEqual(['03-01T01:00:00 schedule claimed']);

  // A server that comes back is called again without anybody's help.
  proxy.restore();
  await expect
    .poll(async () => {
      ledger().clock.advance(31_000);
      await trigger.passes.heartbeat();
      await trigger.passes.askAway();
      await trigger.passes.reconcile();
      await trigger.passes.dispatch();
      return (await ledger().firings(schedules.invoices))[0]!.state;
    })
    .toBe('linked');
});

describe('a server that accepts calls and does not answer them for now', () => {
  /**
   * A running trigger, on whose second server some schedules of each of these namespaces are due at 01:00. Their start
   * calls return once `work` is done.
   */
  async function whileHeld(
    { namespaces, each, limits }: { namespaces: string[]; each: number; limits?: Partial<TriggerLimits> },
    work: () => Promise<void>,
  ): Promise<void> {
    const proxy = await proxyOf(billing.address);
    const held: string[] = [];
    for (const namespace of namespaces) {
      for (let index = 0; index < each; index++) {
        const { scheduleId } = await ledger().client.create(someSchedule({ action: action(billingQueue), namespace }));
        held.push(scheduleId);
      }
    }
    const server = { connection: { address: proxy.address } };
    const trigger = await ledger().trigger({
      namespaces: Object.fromEntries(namespaces.map((namespace) => [namespace, server])),
      // No call ends by its deadline before the test does.
      limits: { claimIntervalMilliseconds: 20, startDeadlineMilliseconds: 300_000, ...limits },
    });
    proxy.holdAnswers();
    const running = trigger.run();
    try {
      ledger().clock.set('2026-03-01T01:00:00Z');
      await work();
      expect((await states(held)).filter((state) => state !== 'claimed')).toEqual([]);
    } finally {
      proxy.restore();
      await expect.poll(() => states(held)).not.toContain('claimed');
      trigger.shutdown();
      await running;
    }
  }

  const states = async (scheduleIds: string[]) =>
    (
      await ledger().query<{ state: string }>('select state from escapement.firings where schedule_id = any($1)', [
        scheduleIds,
      ])
    ).map(({ state }) => state);
  const underWay = async () =>
    (await ledger().query(`select from escapement.firings where state = 'claimed' and start_attempted_at is not null`))
      .length;

  it.each([
    ['its namespace', { namespaces: ['billing'], each: 7 }],
    ['its three namespaces', { namespaces: ['billing', 'payroll', 'archive'], each: 4 }],
  ])('holds up the starts of %s alone, however many of them wait', async (_, held) => {
    const later = someSchedule({ spec: { cron: '10 0 * * * *' } });
    await ledger().client.create(later);
    await whileHeld({ ...held, limits: { startBatchSize: 1 } }, async () => {
      // As many calls as there are start loops, and more claims behind them.
      await expect.poll(underWay).toBeGreaterThanOrEqual(3);
      ledger().clock.set('2026-03-01T01:00:10Z');
      await expect.poll(() => ledger().answers(later.scheduleId)).toEqual(['03-01T01:00:10 schedule linked']);
    });
  });

  it('holds up no link of a start that another one answered, though both were due at one instant', async () => {
    const fast = await ledger().client.create(someSchedule());
    await whileHeld({ namespaces: ['billing'], each: 3 }, async () => {
      await expect.poll(() => ledger().answers(fast.scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
    });
  });
});

it('a namespace that no server is named for waits, and the log says what is missing', async () => {
  const { invoices, reports } = await createBoth();
  const trigger = await ledger().trigger({
    connection: undefined,
    namespaces: { billing: { connection: { address: billing.address } } },
  });
  ledger().clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  expect((await ledger().firings(invoices))[0]).toMatchObject({ state: 'linked' });
  expect((await ledger().firings(reports))[0]).toMatchObject({
    state: 'claimed',
    startAttempts: 0,
    lastError: expect.stringContaining("no connection for namespace 'default'; name it in 'namespaces'"),
  });
});

it('a trigger that reaches none of its servers is not ready, and does not start if all of them are named wrongly', async () => {
  const connection = { address: '127.0.0.1:1', connectTimeout: 500 };
  const wrong = { connection: { address: '127.0.0.1:99999', connectTimeout: 500 } };
  const trigger = await ledger().trigger({ connection, namespaces: { billing: wrong } });
  await expect(trigger.passes.connect()).rejects.toThrow(TemporalUnreachableError);
  expect(trigger.health().reasons).toContainEqual(
    expect.stringMatching(/^Temporal has not answered .*127\.0\.0\.1:1 /),
  );
  await expect(ledger().trigger({ connection: wrong.connection, namespaces: { billing: wrong } })).rejects.toThrow(
    TemporalUnreachableError,
  );
});

it.each([
  ['a flag', ['--namespace-profile', 'billing=invoices'], {}],
  ['the environment', [], { ESCAPEMENT_NAMESPACE_PROFILES: 'billing=invoices' }],
])('escapement run takes the servers of namespaces from profiles named by %s', async (_, args, env) => {
  const profile = `[profile.invoices]\naddress = "${billing.address}"\nnamespace = "billing"\n`;
  const file = await temporaryFile('temporal.toml', profile);
  const client = ledger().newClient({ now: undefined });
  const { scheduleId } = await client.create(
    someSchedule({ action: action(billingQueue), namespace: 'billing', state: { triggerImmediately: true } }),
  );
  const trigger = runCli(['run', ...args], {
    DATABASE_URL: ledger().databaseUrl,
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_CONFIG_FILE: file,
    ...env,
  });
  await trigger.line(new RegExp(`"scheduleId":"${scheduleId}".*"msg":"closed"`));
  trigger.kill('SIGTERM');
  expect(await trigger.ended()).toEqual({ code: 0, signal: null });
});

it('escapement run says which profile is missing, or which of its namespaces cannot be read', async () => {
  const run = (args: string[], env = {}) =>
    runCommand(['run', ...args], { DATABASE_URL: ledger().databaseUrl, TEMPORAL_CONFIG_FILE: '/nowhere', ...env });
  expect(await run(['--namespace-profile', 'billing=nobody'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("check its file and the profile 'nobody'"),
  });
  expect(await run(['--namespace-profile', 'billing'])).toMatchObject({ code: 2 });
  expect(await run([], { ESCAPEMENT_NAMESPACE_PROFILES: 'billing' })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("ESCAPEMENT_NAMESPACE_PROFILES has 'billing'; use a form such as"),
  });
});
