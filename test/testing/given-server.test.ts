import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { expectFirings, TestScheduleEnvironment } from '../../testing';
import { startSkippingServer } from '../../testing/start-server';
import { quietSdk } from '../support/quiet-sdk';

const DAY = 24 * 60 * 60 * 1_000;
const collected: string[] = [];
const activities = {
  collect: async (day: string) => collected.push(day),
  render: async (rows: number) => `${rows} rows`,
  send: async () => {},
};

let server: TestWorkflowEnvironment;
let workflowBundle: WorkflowBundleWithSourceMap;
beforeAll(async () => {
  const logger = new DefaultLogger('ERROR');
  quietSdk();
  [server, workflowBundle] = await Promise.all([
    startSkippingServer(inject('testServerPath')),
    bundleWorkflowCode({ workflowsPath: require.resolve('./workflows.ts'), logger }),
  ]);
});
afterAll(() => server.teardown());

// One server for all tests. Its clock starts today, and each test continues from the clock of the previous one.
it.each([
  ['decades ago', '2001-11-20'],
  ['decades ahead', '2051-11-20'],
  ['decades ago again', '1999-11-20'],
])('runs bundled workflows %s on a server that is given, and leaves it running', async (_when, day) => {
  const startedAt = await server.currentTimeMs();
  const env = await TestScheduleEnvironment.create({
    database: inject('databaseUrl'),
    environment: server,
    workflowBundle,
    activities,
    startTime: `${day}T00:00:00Z`,
  });
  try {
    expect(env.temporal).toBe(server);
    await env.client.create({
      scheduleId: 'nightly-report',
      spec: { cron: '0 2 * * *' },
      action: { type: 'startWorkflow', workflowType: 'nightlyReport', taskQueue: env.taskQueue },
    });
    const [firing, ...others] = await env.advanceBy('1 day');
    expectFirings([firing!]).toBe(['02:00 completed']);
    expect(others).toEqual([]);
    expect(collected.at(-1)).toBe(day);
    expect(firing!.closedAt!.toISOString()).toMatch(`${day}T02:00`);
    // The server's clock has gone as far, from where it stood.
    expect((await server.currentTimeMs()) - startedAt).toBeGreaterThanOrEqual(DAY);
    await env.teardown();
    const handle = server.client.workflow.getHandle(firing!.workflowId!);
    expect((await handle.describe()).status.name).toBe('COMPLETED');
    expect(await handle.result()).toBe(`${collected.length} rows`);
  } finally {
    await env.teardown();
  }
});
