import { inject, it, onTestFinished } from 'vitest';
import { expectFirings, TestScheduleEnvironment } from '../../testing';
import { gate } from '../support/leases/lease-activities';

async function hourly(): Promise<TestScheduleEnvironment> {
  const env = await TestScheduleEnvironment.create({
    database: inject('databaseUrl'),
    startTime: '2026-03-27T00:00:00Z',
  });
  onTestFinished(() => env.teardown());
  env.double('hourly');
  const action = { type: 'startWorkflow' as const, workflowType: 'hourly', taskQueue: env.taskQueue };
  await env.client.create({ scheduleId: 'hourly', spec: { cron: '0 * * * *' }, action });
  return env;
}

it('Temporal stays down until the outer of two nested faults is over', async () => {
  const env = await hourly();
  const firings = await env.withTemporalDown(async () => {
    await env.withTemporalDown(() => env.advanceBy('10 minutes'));
    return env.advanceBy('1 hour');
  });
  expectFirings(firings).toBe(['01:00 claimed']);
  await env.advanceBy('1 minute');
  expectFirings(await env.answers('hourly')).toBe(['01:00 completed']);
});

it('there is no trigger until the outer of two nested faults is over', async () => {
  const env = await hourly();
  const firings = await env.withoutTrigger(async () => {
    await env.withoutTrigger(() => env.advanceBy('10 minutes'));
    return env.advanceBy('1 hour');
  });
  expectFirings(firings).toBe([]);
  await env.advanceBy('1 minute');
  expectFirings(await env.answers('hourly')).toBe(['01:00 catchup completed']);
});

it.each<[string, 'withTemporalDown' | 'withoutTrigger', string[]]>([
  ['Temporal comes', 'withTemporalDown', ['01:00 claimed']],
  ['the trigger comes', 'withoutTrigger', []],
])('%s back after faults that overlap, whichever ends first', async (_, fault, meanwhile) => {
  const env = await hourly();
  const [first, second] = [gate(), gate()];
  const faults = [env[fault](() => first.promise), env[fault](() => second.promise)];
  first.open();
  await faults[0];
  expectFirings(await env.advanceBy('1 hour')).toBe(meanwhile);
  second.open();
  await faults[1];
  await env.advanceBy('1 minute');
  expectFirings(await env.answers('hourly')).toBe(['01:00 completed']);
});
