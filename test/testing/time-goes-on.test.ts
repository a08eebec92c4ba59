import { Client } from 'pg';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
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

it('time goes on where Temporal comes back while a firing is due after one that has ended meanwhile', async () => {
  const env = await hourly({ takes: '10 minutes' });
  await env.advanceTo('2026-03-27T01:05:00Z');
  await env.withTemporalDown(() => env.advanceTo('2026-03-27T02:00:00Z'));
  await env.advanceBy('1 minute');
  expectFirings(await env.answers('hourly')).toBe(['01:00 completed', '02:00 linked']);
});

it('time goes on where a simulated workflow ends within a millisecond', async () => {
  const env = await hourly({ fails: true }, { backoffCoefficient: 1.5, maximumAttempts: 6 });
  const [firing] = await env.advanceBy('90 minutes');
  expectFirings([firing!]).toBe(['01:00 failed']);
  expect(firing!.closedAt).toEqual(new Date('2026-03-27T01:00:13.187Z'));
});

/** Pauses the schedule in a transaction that stays open, and so keeps the schedule locked. */
async function lockHourly(env: TestScheduleEnvironment): Promise<Client> {
  const other = new Client({ connectionString: env.databaseUrl, application_name: 'other' });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query('begin');
  await env.client.getHandle('hourly').pause('a test', { transaction: other });
  return other;
}

/** Lets real time seem to pass at this many times its speed. */
function runWatchAt(speed: number): void {
  const now = performance.now.bind(performance);
  const watch = vi.spyOn(performance, 'now').mockImplementation(() => now() * speed);
  onTestFinished(() => watch.mockRestore());
}

it.each([
  ['occurrence', '2026-03-27T00:30:00Z', []],
  ['end of a workflow', '2026-03-27T01:05:00Z', ['01:00 completed']],
] as const)(
  'names the transaction that keeps a schedule with a due %s locked, since time cannot go on before it ends',
  async (_, from, answers) => {
    const env = await hourly({ takes: '10 minutes' });
    await env.advanceTo(from);
    const other = await lockHourly(env);
    runWatchAt(20);
    await expect(env.advanceBy('45 minutes')).rejects.toThrow(
      /^schedule 'hourly' is due, but process \d+ \(.*other, idle in transaction, .*\) keeps it locked/,
    );
    await other.query('commit');
    await env.advanceBy('1 minute');
    expectFirings(await env.answers('hourly')).toBe([...answers]);
  },
);

it('waits for a transaction that keeps a due schedule locked for a few seconds', async () => {
  const env = await hourly({});
  const other = await lockHourly(env);
  // However slow the machine is, these are a few seconds.
  runWatchAt(0.1);
  const passing = env.advanceBy('1 hour');
  // Handled below: the time may stop before the transaction ends.
  passing.catch(() => {});
  for (let i = 0; i < 10_000; i++) await other.query('select');
  await other.query('commit');
  expectFirings(await passing).toBe([]);
});
