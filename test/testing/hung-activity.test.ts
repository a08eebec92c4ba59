import { it, onTestFinished } from 'vitest';
import { gate } from '../support/leases/lease-activities';
import { realEnvironment } from '../support/real-environment';

it('is torn down although an activity never ends and ignores its cancellation', async () => {
  const hangs = gate();
  const send = () => {
    hangs.open();
    return new Promise<never>(() => {});
  };
  const env = await realEnvironment({
    workflowsPath: require.resolve('./workflows.ts'),
    activities: { send },
    startTime: '2031-05-01T01:59:59Z',
  });
  onTestFinished(() => env.teardown());
  await env.client.create({
    scheduleId: 'carefulReport',
    spec: { at: [new Date('2031-05-01T02:00:00Z')] },
    action: { type: 'startWorkflow', workflowType: 'carefulReport', taskQueue: env.taskQueue },
  });
  await env.advanceTo('2031-05-01T02:00:01Z');
  await hangs.promise;
  await env.teardown();
});
