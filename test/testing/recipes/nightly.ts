import assert from 'node:assert';
import { after, before, test } from 'node:test';
import { expectFirings, TestScheduleEnvironment } from 'escapement/testing';

const sent: string[] = [];
let env: TestScheduleEnvironment;
before(async () => {
  env = await TestScheduleEnvironment.create({
    workflowsPath: require.resolve('../workflows'),
    activities: {
      collect: async (day: string) => day.length,
      render: async (rows: number) => `${rows} rows`,
      send: async (report: string) => sent.push(report),
    },
    startTime: '2026-11-20T00:00:00Z',
    database: process.env.DATABASE_URL,
    testServerPath: process.env.TEST_SERVER_PATH,
  });
});
after(() => env.teardown());

test('the report is sent every night, also when a step fails at first', async () => {
  await env.client.create({
    scheduleId: 'nightly-report',
    spec: { cron: '0 2 * * *', timezone: 'Europe/Berlin' },
    action: { type: 'startWorkflow', workflowType: 'nightlyReport', taskQueue: env.taskQueue },
  });
  env.failStep('send', 2);
  const firings = await env.advanceBy('2 days');
  expectFirings(firings).toBe(['2026-11-20 02:00 completed', '2026-11-21 02:00 completed']);
  assert.deepStrictEqual(sent, ['10 rows', '10 rows']);
});
