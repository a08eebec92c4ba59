import { expect, it } from 'vitest';
import { someSchedule, uniqueName, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('a cap on a task queue holds back its starts over it, in their rows, and no others', async () => {
  const { client, clock } = ledger();
  const create = (scheduleId: string, taskQueue: string) =>
    client.create(
      someSchedule({
        scheduleId,
        action: { type: 'startWorkflow', workflowType: 'any', taskQueue, workflowId: uniqueName(scheduleId) },
      }),
    );
  for (let index = 0; index < 4; index++) await create(`capped-${index}`, 'capped');
  for (let index = 0; index < 3; index++) await create(`free-${index}`, 'free');
  // One may go at once, the next one after an hour.
  const trigger = await ledger().trigger({ maxStartsPerSecond: { taskQueues: { capped: 1 / 3_600 } } });
  await trigger.passes.claim();
  clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  expect(await trigger.passes.dispatch()).toMatchObject({ taken: 4, linked: 4 });
  expect(await trigger.passes.dispatch()).toMatchObject({ taken: 0 });
  const states = await ledger().query<{ name: string; state: string; count: number }>(
    `select split_part(schedule_id, '-', 1) as name, state, count(*)::int from escapement.firings
     group by 1, 2 order by 1, 2`,
  );
  expect(states).toEqual([
    { name: 'capped', state: 'claimed', count: 3 },
    { name: 'capped', state: 'linked', count: 1 },
    { name: 'free', state: 'linked', count: 3 },
  ]);
  // They wait in a living trigger's queue: nobody takes them for lost.
  clock.advance(60_000);
  await trigger.passes.heartbeat();
  expect(await trigger.passes.reconcile()).toMatchObject({ taken: 0 });
});
