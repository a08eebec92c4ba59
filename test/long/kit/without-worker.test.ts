import { afterAll, beforeAll, it } from 'vitest';
import { expectFirings, type TestScheduleEnvironment } from '../../../testing';
import { realEnvironment } from '../../support/real-environment';

let env: TestScheduleEnvironment;
beforeAll(async () => {
  env = await realEnvironment({
    workflowsPath: require.resolve('../../testing/workflows.ts'),
    activities: { collect: async () => 42, render: async () => '', send: async () => {} },
    startTime: '2031-05-04T00:00:00Z',
  });
});
afterAll(() => env.teardown());

it('workflows that are started without a worker are open until there is one again', async () => {
  const action = { type: 'startWorkflow' as const, workflowType: 'nightlyReport', taskQueue: env.taskQueue };
  await env.client.create({ scheduleId: 'nightlyReport', spec: { cron: '0 2 * * *' }, action });
  expectFirings(await env.advanceTo('2031-05-04T03:00:00Z')).toBe(['02:00 completed']);
  const started = await env.withoutWorker(async () => {
    // The end of an inner fault does not end the outer one.
    await env.withoutWorker(async () => {});
    return env.advanceTo('2031-05-05T05:00:00Z');
  });
  expectFirings(started).toBe(['02:00 linked']);
  await env.advanceBy('1 minute');
  expectFirings((await env.answers('nightlyReport')).slice(-1)).toBe(['02:00 completed']);
  // Bundles the workflows twice.
});
