import type { Connection } from '@temporalio/client';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { TestScheduleEnvironment } from '../../testing';
import { nextChange } from '../../testing/next-change';

let release: () => void;
const released = new Promise<void>((resolve) => {
  release = resolve;
});
let env: TestScheduleEnvironment;
beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  env = await TestScheduleEnvironment.create({
    database: inject('databaseUrl'),
    testServerPath: inject('testServerPath'),
    workflowsPath: require.resolve('./workflows.ts'),
    activities: { collect: async () => 1, render: async () => '', send: () => released },
  });
  // Its worker polls from here on.
  await env.advanceBy('1 second');
}, 120_000);
afterAll(async () => {
  release();
  await env.teardown();
});

it('takes a workflow for busy whose step ends between two questions', async () => {
  const { client, connection } = env.temporal!;
  const handle = await client.workflow.start('carefulReport', { workflowId: 'careful', taskQueue: env.taskQueue });
  const stepIsDue = async () =>
    (await handle.fetchHistory()).events?.some((event) => event.activityTaskScheduledEventAttributes);
  await expect.poll(stepIsDue).toBe(true);

  const { workflowService } = connection as Connection;
  const late = Object.assign(Object.create(workflowService), {
    async describeWorkflowExecution(request: Parameters<typeof workflowService.describeWorkflowExecution>[0]) {
      release();
      await handle.result();
      return workflowService.describeWorkflowExecution(request);
    },
  });
  expect(await nextChange({ workflowService: late } as Connection, 'default', 'careful')).toBe(undefined);
});
