import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { someSchedule, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';

const ledger = useLedger();
const escapement = (...args: string[]) => runCommand(args, { DATABASE_URL: ledger().databaseUrl });
const become = (state: string, outcome: string | null, reason: string | null) =>
  ledger().query('update escapement.firings set state = $1, outcome = $2, reason = $3', [state, outcome, reason]);

it('firing run-again asks for a past occurrence, and for a confirmation where it may be done', async () => {
  const handle = await ledger().client.create(someSchedule({ scheduleId: 'hourly' }));
  await handle.backfill({ start: '2026-02-01T00:00:00Z', end: '2026-02-01T00:00:00Z' });
  await become('linked', null, null);
  const listed = await escapement('firing', 'list', '--state', 'running');
  expect(listed.stdout).toMatch(/2026-02-01T00:00:00Z +hourly +backfill +running/);

  const again = ['firing', 'run-again', 'hourly', '2026-02-01T00:00'];
  await become('closed', 'completed', null);
  const refused = await escapement(...again);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    "escapement: 2026-02-01T00:00:00.000Z of 'hourly' has completed; give --confirm to run it again",
  ]);
  await become('skipped', null, 'overlap');
  const asked = await escapement(...again, '--note', 'the audit', '--overlap-policy', 'ALLOW_ALL');
  expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining('2026-02-01T00:00:00Z-restart-1.') });
  expect((await ledger().firings('hourly'))[0]).toMatchObject({
    state: 'buffered',
    again: { note: 'the audit', former: { state: 'skipped' } },
  });
});

it('schedule trigger takes arguments of its own', async () => {
  await ledger().client.create(someSchedule({ scheduleId: 'hourly' }));
  const asked = await escapement('schedule', 'trigger', '-s', 'hourly', '--args', '"apac"', '{"deep":1}');
  expect(asked).toMatchObject({ code: 0, stderr: '' });
  expect((await ledger().firings('hourly'))[0]).toMatchObject({ state: 'buffered', scheduleVersion: -2 });
});

it('dead-letter redrive by restart says that every step runs again', async () => {
  const handle = await ledger().client.create(someSchedule({ scheduleId: 'hourly' }));
  const { scheduledTime, workflowId } = await handle.trigger();
  await become('closed', 'failed', null);
  const letterId = randomUUID();
  await ledger().query(
    `insert into escapement.dead_letters (letter_id, schedule_id, scheduled_time, epoch, kind, reason, namespace, workflow_id,
      created_at, updated_at) values ($1, 'hourly', $2, 0, 'workflow', 'failed', 'default', $3, now(), now())`,
    [letterId, scheduledTime, workflowId],
  );
  const planned = await escapement('dead-letter', 'redrive', letterId, '--mode', 'restart', '--dry-run');
  expect(planned.stdout).toBe(
    `Would redrive '${letterId}' by restart; every step runs again, under a new workflow ID.`,
  );
});
