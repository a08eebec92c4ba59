import { expect, inject, it, onTestFinished } from 'vitest';
import { expectFirings, TestScheduleEnvironment } from '../../testing';

it('a firing in a namespace that refuses every call is abandoned after an hour, or its catch-up window', async () => {
  const env = await TestScheduleEnvironment.create({
    database: inject('databaseUrl'),
    startTime: '2026-03-27T00:59:00Z',
  });
  onTestFinished(() => env.teardown());
  env.double('nightlyReport');
  const action = { type: 'startWorkflow', workflowType: 'nightlyReport', taskQueue: env.taskQueue } as const;
  const nowhere = { spec: { at: [new Date('2026-03-27T01:00:00Z')] }, action, namespace: 'nowhere' };
  await env.client.create({ ...nowhere, scheduleId: 'usual' });
  await env.client.create({ ...nowhere, scheduleId: 'urgent', policies: { catchupWindow: '30 minutes' } });
  await env.advanceTo('2026-03-27T01:29:50Z');
  expectFirings(await env.answers('urgent')).toBe(['01:00 claimed']);
  await env.advanceTo('2026-03-27T01:59:50Z');
  expectFirings(await env.answers('urgent')).toBe(['01:00 abandoned (outside_catchup_window)']);
  expectFirings(await env.answers('usual')).toBe(['01:00 claimed']);
  await env.advanceTo('2026-03-27T02:00:30Z');
  expectFirings(await env.answers('usual')).toBe(['01:00 abandoned (start_refused)']);
  const letters = new Set<string>();
  for await (const { scheduleId } of env.client.deadLetters.list()) letters.add(scheduleId);
  expect(letters).toEqual(new Set(['usual', 'urgent']));
});
