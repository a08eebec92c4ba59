import assert from 'node:assert';
import { after, before, test } from 'node:test';
import { expectFirings, TestScheduleEnvironment } from 'escapement/testing';

let env: TestScheduleEnvironment;
before(async () => {
  env = await TestScheduleEnvironment.create({
    workflowsPath: require.resolve('../workflows'),
    activities: {
      collect: async (day: string) => day.length,
      render: async (rows: number) => `${rows} rows`,
      send: async () => {},
    },
    startTime: '2026-11-20T00:00:00Z',
    database: process.env.DATABASE_URL,
    testServerPath: process.env.TEST_SERVER_PATH,
  });
});
after(() => env.teardown());

test('a report that cannot be sent becomes a dead letter, and is done once it is redriven', async () => {
  await env.client.create({
    scheduleId: 'careful-report',
    spec: { cron: '0 2 * * *' },
    action: { type: 'startWorkflow', workflowType: 'carefulReport', taskQueue: env.taskQueue },
    state: { remainingActions: 1 },
  });
  env.failStep('send', 3);
  expectFirings(await env.advanceBy('1 day')).toBe(['02:00 failed']);

  const letters = [];
  for await (const letter of env.client.deadLetters.list({ state: 'open' })) letters.push(letter);
  assert.strictEqual(letters[0]?.failedStep?.activityType, 'send');

  // The time-skipping server cannot take a chain up at its failed step; a restart begins it again.
  await env.client.deadLetters.redrive(letters[0].letterId, { mode: 'restart' });
  await env.advanceBy('1 minute');
  expectFirings(await env.answers('careful-report')).toBe(['02:00 completed']);
  assert.strictEqual((await env.client.deadLetters.get(letters[0].letterId)).state, 'resolved');
});
