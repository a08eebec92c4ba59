import { expect, it } from 'vitest';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';
import { abortedAtOnce, bulkOn } from './bulk-on';

const ledger = useLedger();
const { schedules, paused, isBlocked } = bulkOn(ledger);

it('a change that is being made while it is cancelled is undone too', async () => {
  await schedules(1);
  const { client } = ledger();
  let isSettled = false;
  let undone: Promise<unknown> | undefined;
  // The change is written, but not yet committed, when somebody cancels the operation and undoes it.
  const pool = watchedPool(ledger(), {
    before: async (text) => {
      if (/update .*bulk_schedules/.test(text)) isSettled = true;
      if (!isSettled || undone || !/^commit/i.test(text)) return;
      const [operation] = await client.bulk.list();
      let isOver = false;
      undone = client.bulk
        .cancel(operation!.operationId)
        .then(() => client.bulk.undo(operation!.operationId))
        .finally(() => {
          isOver = true;
        });
      await expect.poll(async () => isOver || (await isBlocked())).toBe(true);
    },
  });
  await ledger()
    .newClient({ connectionString: undefined as never, pool })
    .bulk.pause({ all: true });
  expect(await undone).toMatchObject({ state: 'done', total: 1, changed: 1 });
  expect(await paused()).toEqual([]);
});

it('a schedule that was deleted and created again since an operation was asked for is not of it', async () => {
  await schedules(2, { owner: 'ops' });
  const { client, clock } = ledger();
  const again = async () => {
    clock.advance(1_000);
    await client.getHandle('s-00').delete();
    await client.create(someSchedule({ scheduleId: 's-00', owner: 'night' }));
    clock.advance(1_000);
  };
  const left = await client.bulk.pause({ owner: 'ops' }, { ...abortedAtOnce(), onAbort: 'leave' });
  await again();
  expect(await client.bulk.follow(left.operationId)).toMatchObject({
    state: 'done',
    changed: 1,
    failed: 1,
    errors: [{ scheduleId: 's-00', error: expect.stringContaining('deleted and created again') }],
  });
  expect(await paused()).toEqual(['s-01']);
  const tagged = await client.bulk.tag({ all: true }, { owner: 'night' });
  expect(tagged).toMatchObject({ changed: 1, unchanged: 1 });
  const other = await client.bulk.tag({ all: true }, { owner: 'day' });
  await again();
  await client.bulk.tag({ scheduleIds: ['s-00'] }, { owner: 'day' });
  expect(await client.bulk.undo(other.operationId)).toMatchObject({ changed: 1, unchanged: 1 });
  expect((await client.getHandle('s-00').describe()).owner).toBe('day');
});

it('a schedule that was created while the clock was ahead is of an operation', async () => {
  await schedules(1);
  await ledger().query(`update escapement.schedules set created_at = '2027-01-01Z'`);
  expect(await ledger().client.bulk.pause({ all: true })).toMatchObject({ changed: 1 });
});

it('a pause for some time ends that long after it was asked for, however late a schedule is paused', async () => {
  await schedules(2);
  const { client, clock } = ledger();
  const options = { until: '2 hours', onAbort: 'leave' as const };
  const first = await client.bulk.pause({ scheduleIds: ['s-00'] }, { ...options, ...abortedAtOnce() });
  const second = await client.bulk.pause({ scheduleIds: ['s-01'] }, { ...options, ...abortedAtOnce() });
  clock.advance(3_600_000);
  await client.bulk.follow(first.operationId);
  expect((await client.getHandle('s-00').describe()).state.pausedUntil?.getTime()).toBe(
    first.createdAt.getTime() + 7_200_000,
  );
  clock.advance(7_200_000);
  expect(await client.bulk.follow(second.operationId)).toMatchObject({ failed: 1 });
  expect(await paused()).toEqual(['s-00']);
});
