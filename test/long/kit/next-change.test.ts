import type { Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestScheduleEnvironment } from '../../../testing';
import { nextChange } from '../../../testing/next-change';
import { gate } from '../../support/leases/lease-activities';
import { realEnvironment } from '../../support/real-environment';

const released = gate();
let env: TestScheduleEnvironment;
beforeAll(async () => {
  env = await realEnvironment({
    workflowsPath: require.resolve('../../testing/workflows.ts'),
    activities: { collect: async () => 1, render: async () => '', send: () => released.promise },
  });
  // Its worker polls from here on.
  await env.advanceBy('1 second');
});
afterAll(async () => {
  released.open();
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
      released.open();
      await handle.result();
      return workflowService.describeWorkflowExecution(request);
    },
  });
  expect(await nextChange({ workflowService: late } as Connection, 'default', 'careful')).toBe(undefined);
});
