import { expect, inject, it } from 'vitest';
import { diagnose } from '../../doctor/diagnose';
import { openStore } from '../../store/connection';
import { readRoutesInUse } from '../../store/doctor/schedules';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('does not miss the worker of a schedule that is completed, unless one of its firings is open', async () => {
  const action = { type: 'startWorkflow', workflowType: 'w', taskQueue: 'of-last-year' } as const;
  const handle = await ledger().client.create(someSchedule({ action, state: { remainingActions: 1 } }));
  ledger().clock.set('2026-03-01T01:00:00Z');
  await (await ledger().trigger()).passes.claim();
  expect((await handle.describe()).state).toMatchObject({ completed: true });

  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  expect(await readRoutesInUse(store)).toMatchObject([{ taskQueue: 'of-last-year', schedules: 1 }]);
  await ledger().query(`update escapement.firings set state = 'closed', outcome = 'completed', closed_at = now()`);
  expect(await readRoutesInUse(store)).toEqual([]);
});

it('checks the task queue of a schedule that fires only by hand, whose pause has an end, or that a person triggered', async () => {
  const on = (taskQueue: string) => ({ action: { type: 'startWorkflow', workflowType: 'w', taskQueue } as const });
  const { client } = ledger();
  await client.create(someSchedule({ scheduleId: 'by-hand', spec: {}, ...on('by-hand') }));
  const until = new Date('2026-03-02T00:00:00Z');
  await (await client.create(someSchedule({ scheduleId: 'resumes', ...on('resumes') }))).pause({ until });
  const paused = await client.create(someSchedule({ scheduleId: 'paused', ...on('paused') }));
  await paused.pause();
  await (await ledger().trigger()).passes.claim();

  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  expect(await readRoutesInUse(store)).toMatchObject([
    { taskQueue: 'by-hand', schedules: 1, firing: 0 },
    { taskQueue: 'resumes', schedules: 1, firing: 0 },
  ]);
  await paused.trigger();
  expect((await readRoutesInUse(store)).map(({ taskQueue }) => taskQueue)).toEqual(['by-hand', 'paused', 'resumes']);
});

it.each([
  ['none', 'null'],
  ['an empty one', '{"taskQueue": ""}'],
  ['a name that is too long', JSON.stringify({ taskQueue: 'x'.repeat(3_000) })],
])('checks the other task queues of the namespace where a damaged definition has %s', async (_, action) => {
  const { client, databaseUrl, clock } = ledger();
  const unpolled = { type: 'startWorkflow', workflowType: 'w', taskQueue: 'jbos' } as const;
  for (const scheduleId of ['good', 'bad']) await client.create(someSchedule({ scheduleId, action: unpolled }));
  await ledger().query(`update escapement.schedule_versions set action = $1 where schedule_id = 'bad'`, [action]);
  const findings = await diagnose({
    postgres: { connectionString: databaseUrl },
    temporal: { connection: { address: inject('temporalAddress') }, namespaces: {}, namespace: 'default' },
    now: () => clock.now(),
  });
  const found = findings.filter(({ id }) => id === 'no_poller' || id === 'check_failed');
  expect(found).toMatchObject([
    { id: 'no_poller', text: expect.stringContaining("1 task queue of namespace 'default' ('jbos')") },
  ]);
});
