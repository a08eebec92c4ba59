import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { EscapementPlugin } from '../../plugin';
import type { Firing } from '../../store/reads/read-firings';
import { createTestDatabase, expectFirings, TestScheduleEnvironment } from '../../testing';
import { startSkippingServer } from '../../testing/start-server';
import { quietSdk } from '../support/quiet-sdk';

const activities = { collect: async () => 42, render: async () => '', send: async () => {} };

let server: TestWorkflowEnvironment;
let workflowBundle: WorkflowBundleWithSourceMap;
beforeAll(async () => {
  quietSdk();
  const plugins = [new EscapementPlugin({ connectionString: inject('databaseUrl'), park: 'all' })];
  const workflowsPath = require.resolve('./workflows.ts');
  [server, workflowBundle] = await Promise.all([
    startSkippingServer(inject('testServerPath')),
    bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR'), plugins }),
  ]);
});
afterAll(() => server.teardown());

/** An environment whose worker parks each step that has failed for good. */
async function parkingFrom(startTime: string): Promise<TestScheduleEnvironment> {
  const database = await createTestDatabase({ databaseUrl: inject('databaseUrl') });
  onTestFinished(() => database.drop());
  const { databaseUrl: connectionString } = database;
  const plugins = [new EscapementPlugin({ connectionString, park: 'all' })];
  const given = { database, environment: server, workflowBundle, activities, plugins };
  const env = await TestScheduleEnvironment.create({ ...given, startTime });
  onTestFinished(() => env.teardown());
  return env;
}

it.each(['2001', '2051'])('a step is parked for as long as its schedule lets it, in %s', async (year) => {
  const env = await parkingFrom(`${year}-11-02T00:00:00Z`);
  const handle = await env.client.create({
    scheduleId: 'careful-report',
    spec: { cron: '0 2 * * *' },
    action: { type: 'startWorkflow', workflowType: 'carefulReport', taskQueue: env.taskQueue },
    policies: { parkedAtMost: '60 hours' },
  });
  env.failStep('send', 3);
  await env.advanceBy('1 day');
  const [parked] = (await handle.describe()).info.parkedActions;
  expect(parked?.since.toISOString()).toMatch(`${year}-11-02T02:00`);

  await env.advanceBy('3 days');
  const answers = await env.answers('careful-report');
  expectFirings(answers).toBe([
    `${year}-11-02 02:00 failed`,
    `${year}-11-03 02:00 skipped (overlap)`,
    `${year}-11-04 02:00 skipped (overlap)`,
    `${year}-11-05 02:00 completed`,
  ]);
  expect((answers[0] as Firing).closedAt?.toISOString()).toMatch(`${year}-11-04T14:00`);
});

it('a firing that waits behind a parked one starts as soon as that holds nothing any more', async () => {
  const env = await parkingFrom('2031-11-02T00:00:00Z');
  await env.client.create({
    scheduleId: 'late-report',
    spec: { cron: '0 2,3 * * *' },
    action: { type: 'startWorkflow', workflowType: 'lateReport', taskQueue: env.taskQueue },
    policies: { overlap: 'BUFFER_ONE', parkedHolds: false },
  });
  env.failStep('send', 3);
  const firings = await env.advanceBy('12 hours');
  expectFirings(firings).toBe(['02:00 linked', '03:00 completed']);
  // The first run sends after an hour and a half.
  expect(firings[1]!.linkedAt!.toISOString()).toMatch('2031-11-02T03:30');
});

it('a step whose time is over while Temporal is down is given up once Temporal is back', async () => {
  const env = await parkingFrom('2041-11-02T00:00:00Z');
  await env.client.create({
    scheduleId: 'careful-report',
    spec: { cron: '0 2 * * *' },
    action: { type: 'startWorkflow', workflowType: 'carefulReport', taskQueue: env.taskQueue },
    policies: { parkedAtMost: '24 hours' },
  });
  env.failStep('send', 3);
  await env.advanceTo('2041-11-03T01:59:00Z');
  await env.withTemporalDown(() => env.advanceTo('2041-11-03T02:01:00Z'));
  await env.advanceBy('1 hour');
  expectFirings((await env.answers('careful-report')).slice(0, 1)).toBe(['02:00 failed']);
});

it('a step whose workflow has just ended lets time go on until that end is recorded', async () => {
  const env = await parkingFrom('2021-11-02T00:00:00Z');
  await env.client.create({
    scheduleId: 'daily-report',
    spec: { cron: '0 2 * * *' },
    action: { type: 'startWorkflow', workflowType: 'dailyReport', taskQueue: env.taskQueue },
    policies: { parkedAtMost: '24 hours' },
  });
  env.failStep('render', 1);
  await env.advanceBy('12 hours');
  await env.advanceBy('1 day');
  expectFirings((await env.answers('daily-report')).slice(0, 1)).toBe(['02:00 completed']);
});
