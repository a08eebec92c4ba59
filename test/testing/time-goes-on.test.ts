import { expect, inject, it, onTestFinished } from 'vitest';
import { type DoubleBehaviour, expectFirings, TestScheduleEnvironment } from '../../testing';

async function hourly(behaviour: DoubleBehaviour, retry?: object): Promise<TestScheduleEnvironment> {
  const env = await TestScheduleEnvironment.create({
    database: inject('databaseUrl'),
    startTime: '2026-03-27T00:00:00Z',
  });
  onTestFinished(() => env.teardown());
  env.double('hourly', behaviour);
  const action = { type: 'startWorkflow' as const, workflowType: 'hourly', taskQueue: env.taskQueue, retry };
  await env.client.create({ scheduleId: 'hourly', spec: { cron: '0 * * * *' }, action });
  return env;
}

it('time goes on where a simulated workflow ends within a millisecond', async () => {
  const env = await hourly({ fails: true }, { backoffCoefficient: 1.5, maximumAttempts: 6 });
  const [firing] = await env.advanceBy('90 minutes');
  expectFirings([firing!]).toBe(['01:00 failed']);
  expect(firing!.closedAt).toEqual(new Date('2026-03-27T01:00:13.187Z'));
});
