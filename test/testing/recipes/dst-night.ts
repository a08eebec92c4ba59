import { test } from 'node:test';
import { expectFirings, nextDstChange, TestScheduleEnvironment } from 'escapement/testing';

test('a job at 02:30 fires once in the night that has no 02:30', async () => {
  const change = nextDstChange('Europe/Berlin', new Date('2026-01-01T00:00:00Z'));
  const env = await TestScheduleEnvironment.create({
    startTime: change.getTime() - 36 * 60 * 60 * 1000,
    database: process.env.DATABASE_URL,
  });
  try {
    env.double('nightlyReport', { takes: '10 minutes' });
    await env.client.create({
      scheduleId: 'nightly-report',
      spec: { cron: '30 2 * * *', timezone: 'Europe/Berlin' },
      action: { type: 'startWorkflow', workflowType: 'nightlyReport', taskQueue: 'reports' },
    });
    expectFirings(await env.advanceBy('3 days')).toBe([
      '2026-03-28 02:30 completed',
      '2026-03-29 03:00 completed',
      '2026-03-30 02:30 completed',
    ]);
  } finally {
    await env.teardown();
  }
});
