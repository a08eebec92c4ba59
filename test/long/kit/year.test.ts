import { expect, inject, it, onTestFinished } from 'vitest';
import { TestScheduleEnvironment } from '../../../testing';

it('an environment of doubles returns every firing of a year, for which a trigger would have retired months', async () => {
  const env = await TestScheduleEnvironment.create({
    database: inject('databaseUrl'),
    startTime: '2026-03-27T00:00:00Z',
  });
  onTestFinished(() => env.teardown());
  env.double('nightlyReport');
  const action = { type: 'startWorkflow' as const, workflowType: 'nightlyReport', taskQueue: env.taskQueue };
  await env.client.create({ scheduleId: 'weekly', spec: { cron: '0 2 * * 1' }, action });
  const firings = await env.advanceBy('365 days');
  expect(firings).toHaveLength(52);
  expect(firings[0]!.scheduledTime).toEqual(new Date('2026-03-30T02:00:00Z'));
});
