import { Client } from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { SHADOW_FORMAT } from '../../store/spec-format';
import { expectFirings, TestScheduleEnvironment } from '../../testing';

it('a schedule in shadow needs nothing that runs its workflow', async () => {
  const env = await TestScheduleEnvironment.create({
    database: inject('databaseUrl'),
    startTime: '2026-03-27T00:00:00Z',
  });
  onTestFinished(() => env.teardown());
  await env.client.create({
    scheduleId: 'hourly',
    spec: { cron: '0 * * * *' },
    action: { type: 'startWorkflow', workflowType: 'hourly', taskQueue: env.taskQueue },
  });
  const database = new Client({ connectionString: env.databaseUrl });
  await database.connect();
  await database.query('update escapement.timers set spec_format = $1', [SHADOW_FORMAT]).finally(() => database.end());
  expect(await env.client.getHandle('hourly').describe()).toMatchObject({ state: { shadow: true } });
  expectFirings(await env.advanceTo('2026-03-27T01:00:00Z')).toBe(['01:00 skipped (shadow)']);
});
