import { expect, inject, it, onTestFinished } from 'vitest';
import { TestScheduleEnvironment } from '../../../testing';
import { someSchedule } from '../../support/ledger';

it('fires on the time-skipping server, where a workflow of a day takes no time', async () => {
  const env = await TestScheduleEnvironment.create({
    database: inject('databaseUrl'),
    testServerPath: inject('testServerPath'),
    workflowsPath: require.resolve('../../support/workers/workflows.ts'),
    startTime: '2026-03-01T00:30:00Z',
  });
  onTestFinished(() => env.teardown());
  const { taskQueue } = env;
  await env.client.create(
    someSchedule({
      spec: { cron: '0 1 * * *' },
      action: { type: 'startWorkflow', workflowType: 'sleepsADay', taskQueue },
    }),
  );
  const [firing] = await env.advanceTo('2026-03-02T01:10:00Z');
  expect(firing).toMatchObject({ state: 'closed', outcome: 'completed' });
  expect(firing!.closedAt!.toISOString()).toMatch(/^2026-03-02T01:0/);
  expect(await env.temporal!.client.workflow.getHandle(firing!.workflowId!).result()).toMatchObject({
    scheduledTime: '2026-03-01T01:00:00.000Z',
  });
});
