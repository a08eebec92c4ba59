import { test } from 'node:test';
import { expectFirings, TestScheduleEnvironment } from 'escapement/testing';

test('a run that takes too long makes the next one skip, not the one after', async () => {
  const env = await TestScheduleEnvironment.create({
    startTime: '2026-11-20T01:30:00Z',
    database: process.env.DATABASE_URL,
  });
  try {
    env.double('collectMetrics', { takes: '90 minutes' });
    await env.client.create({
      scheduleId: 'metrics',
      spec: { cron: '0 * * * *' },
      action: { type: 'startWorkflow', workflowType: 'collectMetrics', taskQueue: 'metrics' },
    });
    expectFirings(await env.advanceTo('2026-11-20T05:30:00Z')).toBe([
      '02:00 completed',
      '03:00 skipped (overlap)',
      '04:00 completed',
      '05:00 skipped (overlap)',
    ]);
  } finally {
    await env.teardown();
  }
});
