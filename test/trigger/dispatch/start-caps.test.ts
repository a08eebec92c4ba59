import { expect, it } from 'vitest';
import type { TunedTriggerOptions } from '../../../trigger/options';
import { someSchedule, uniqueName, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

/**
 * Schedules with a capped task queue, by default four, and three with another. One capped start may be made now, the
 * next after an hour.
 */
async function capped({ count = 4, ...options }: Partial<TunedTriggerOptions> & { count?: number } = {}) {
  const { client, clock } = ledger();
  const create = (scheduleId: string, taskQueue: string) =>
    client.create(
      someSchedule({
        scheduleId,
        action: { type: 'startWorkflow', workflowType: 'any', taskQueue, workflowId: uniqueName(scheduleId) },
      }),
    );
  for (let index = 0; index < count; index++) await create(`capped-${index}`, 'capped');
  for (let index = 0; index < 3; index++) await create(`free-${index}`, 'free');
  const trigger = await ledger().trigger({ maxStartsPerSecond: { taskQueues: { capped: 1 / 3_600 } }, ...options });
  await trigger.passes.claim();
  clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  return trigger;
}

const states = () =>
  ledger().query<{ name: string; state: string; count: number }>(
    `select split_part(schedule_id, '-', 1) as name, state, count(*)::int from escapement.firings
     group by 1, 2 order by 1, 2`,
  );

it('a cap on a task queue holds back its starts over it, in their rows, and no others', async () => {
  const trigger = await capped();
  expect(await trigger.passes.dispatch()).toMatchObject({ taken: 4, linked: 4 });
  expect(await trigger.passes.dispatch()).toMatchObject({ taken: 0 });
  expect(await states()).toEqual([
    { name: 'capped', state: 'claimed', count: 3 },
    { name: 'capped', state: 'linked', count: 1 },
    { name: 'free', state: 'linked', count: 3 },
  ]);
  // They wait in a living trigger's queue: nobody takes them for lost.
  ledger().clock.advance(60_000);
  await trigger.passes.heartbeat();
  expect(await trigger.passes.reconcile()).toMatchObject({ taken: 0 });
});

it('a full batch is followed by the next at once, though a cap holds another task queue back', async () => {
  const { passes } = await capped({ limits: { startBatchSize: 2 } });
  expect(await passes.dispatch()).toMatchObject({ taken: 2 });
  expect(await passes.dispatch()).toMatchObject({ taken: 2, more: true, isHeldBack: true });
  expect(await passes.dispatch()).toMatchObject({ taken: 0, more: false, isHeldBack: true });
});

it('takes go on past a hundred tenants that a cap holds back, to one that it does not', async () => {
  const { client, clock } = ledger();
  const create = (tenant: string, taskQueue: string, cron: string) => {
    const action = { type: 'startWorkflow', workflowType: 'any', taskQueue } as const;
    return client.create(someSchedule({ tenant, spec: { cron }, action }));
  };
  await create('first', 'capped', '45 0 * * *');
  const tenants = Array.from({ length: 100 }, (_, index) => `held-${String(index).padStart(2, '0')}`);
  await Promise.all(tenants.map((tenant) => create(tenant, 'capped', '0 * * * *')));
  await create('last', 'free', '0 * * * *');
  const { passes } = await ledger().trigger({ maxStartsPerSecond: { taskQueues: { capped: 1 / 3_600 } } });
  clock.set('2026-03-01T00:45:00Z');
  await passes.claim();
  expect(await passes.dispatch()).toMatchObject({ taken: 1 });
  clock.set('2026-03-01T01:00:00Z');
  await passes.claim();
  const results = [];
  for (let time = 0; time < 3; time++) results.push(await passes.dispatch());
  expect(results).toMatchObject([
    { taken: 0, more: false, isHeldBack: true, lanesLeft: true },
    { taken: 1, more: true, isHeldBack: true, lanesLeft: false },
    { taken: 0, more: false, isHeldBack: true, lanesLeft: true },
  ]);
});

it('a cap on a task queue also holds in a batch of which Postgres refuses a row', async () => {
  const trigger = await capped();
  await ledger().query(`create function escapement.refuses() returns trigger language plpgsql as
    $$ begin raise 'not this one'; end $$`);
  await ledger().query(`create trigger refuses before update on escapement.firings for each row
    when (new.schedule_id = 'free-0') execute function escapement.refuses()`);
  expect(await trigger.passes.dispatch()).toMatchObject({ taken: 3, linked: 3 });
  // The row is tried again, and refused again; the cap is used up by now.
  ledger().clock.advance(5_000);
  expect(await trigger.passes.dispatch()).toMatchObject({ taken: 0 });
  expect(await states()).toEqual([
    { name: 'capped', state: 'claimed', count: 3 },
    { name: 'capped', state: 'linked', count: 1 },
    { name: 'free', state: 'claimed', count: 1 },
    { name: 'free', state: 'linked', count: 2 },
  ]);
});

it.each([
  ['is reported while a firing waits for it', 4, [{ taskQueue: 'capped', since: '2026-03-01T01:00:00.000Z' }]],
  ['that is used up is not reported while only others wait', 1, []],
])('a cap on a task queue %s', async (_, count, caps) => {
  const { clock } = ledger();
  // One firing of each task queue, then two of the other.
  const { passes } = await capped({ count, monotonic: () => clock.now(), limits: { startBatchSize: 2 } });
  for (let time = 0; time < 2; time++) expect(await passes.dispatch()).toMatchObject({ taken: 2 });
  await passes.heartbeat();
  expect(await ledger().query('select caps from escapement.triggers')).toMatchObject([{ caps }]);
});
