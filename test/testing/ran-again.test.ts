import { expect, inject, it, onTestFinished } from 'vitest';
import { expectFirings, TestScheduleEnvironment } from '../../testing';

it('returns a firing that ran again at the instant at which the stretch before ended', async () => {
  const env = await TestScheduleEnvironment.create({
    database: inject('databaseUrl'),
    startTime: '2026-03-27T00:00:00Z',
  });
  onTestFinished(() => env.teardown());
  env.double('nightlyReport', { takes: '90 minutes' });
  const handle = await env.client.create({
    scheduleId: 'hourly',
    spec: { cron: '0 * * * *' },
    action: { type: 'startWorkflow', workflowType: 'nightlyReport', taskQueue: env.taskQueue },
  });
  expectFirings(await env.advanceTo('2026-03-27T02:00:00Z')).toBe(['01:00 linked', '02:00 skipped (overlap)']);
  await handle.runAgain('2026-03-27T02:00:00Z', { overlap: 'ALLOW_ALL' });
  const again = await env.advanceBy('1 minute');
  expect(again.map(({ scheduledTime, state }) => [scheduledTime.toISOString(), state])).toEqual([
    ['2026-03-27T02:00:00.000Z', 'linked'],
  ]);
});
