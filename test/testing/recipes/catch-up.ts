import { test } from 'node:test';
import { expectFirings, TestScheduleEnvironment } from 'escapement/testing';

test('after an outage the last two hours are caught up, and the rest is accounted for', async () => {
  const env = await TestScheduleEnvironment.create({
    startTime: '2026-11-20T00:30:00Z',
    database: process.env.DATABASE_URL,
  });
  try {
    env.double('collectMetrics', { takes: '1 minute' });
    await env.client.create({
      scheduleId: 'metrics',
      spec: { cron: '0 * * * *' },
      action: { type: 'startWorkflow', workflowType: 'collectMetrics', taskQueue: 'metrics' },
      policies: { catchupLimit: 2, overlap: 'ALLOW_ALL' },
    });
    await env.withoutTrigger(() => env.advanceBy('6 hours'));
    await env.advanceBy('1 hour');
    expectFirings(await env.answers('metrics')).toBe([
      '01:00..04:00 gap of 4 (over_catchup_limit)',
      '05:00 catchup completed',
      '06:00 catchup completed',
      '07:00 completed',
    ]);
  } finally {
    await env.teardown();
  }
});
