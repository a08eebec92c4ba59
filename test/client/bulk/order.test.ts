import { expect, it } from 'vitest';
import type { BulkStatus } from '../../../index';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';
import { abortedAtOnce, bulkOn } from './bulk-on';

const ledger = useLedger();
const { schedules, paused, isBlocked } = bulkOn(ledger);

it('operations take effect in the order in which they were asked for, whoever carries them out', async () => {
  await schedules(4);
  const { client } = ledger();
  // Neither of the first two is carried out before the third is asked for.
  const pause = await client.bulk.pause({ all: true }, { ...abortedAtOnce(), onAbort: 'leave' });
  const tag = await client.bulk.tag({ all: true }, { ...abortedAtOnce(), onAbort: 'leave', owner: 'ops' });
  expect(await client.bulk.unpause({ all: true })).toMatchObject({ state: 'done', changed: 4, unchanged: 0 });
  // The tag is of another kind, which an unpause does not overwrite.
  expect(await client.bulk.list({ state: 'running' })).toMatchObject([{ operationId: tag.operationId, left: 4 }]);
  expect(await client.bulk.follow(pause.operationId)).toMatchObject({ state: 'done', changed: 4, actor: 'test' });
  expect(await paused()).toEqual([]);
});

it('a pause that is slower than a later unpause does not win in the end', async () => {
  await schedules(4);
  let isBegun: () => void;
  const begun = new Promise<void>((resolve) => {
    isBegun = resolve;
  });
  const progress = ({ changed }: BulkStatus) => void (changed > 0 && isBegun());
  const slow = ledger().newClient().bulk.pause({ all: true }, { perSecond: 0.5, progress });
  await begun;
  expect(await ledger().client.bulk.unpause({ all: true })).toMatchObject({ state: 'done', changed: 4 });
  expect(await slow).toMatchObject({ state: 'done', changed: 4 });
  expect(await paused()).toEqual([]);
});

it('an earlier operation is one that was asked for before, by whichever clock', async () => {
  await schedules(1);
  const fast = ledger().newClient({ now: () => new Date(ledger().clock.now() + 60_000) });
  await fast.bulk.pause({ all: true }, { ...abortedAtOnce(), onAbort: 'leave' });
  await ledger().client.bulk.unpause({ all: true });
  expect(await ledger().client.bulk.list({ state: 'running' })).toEqual([]);
  expect(await paused()).toEqual([]);
});

it('an operation of a tenant comes after an earlier one of an operator on the same schedules', async () => {
  await schedules(2, { tenant: 'a' });
  const { bulk } = ledger().client;
  const { operationId } = await bulk.pause({ tenant: 'a' }, { ...abortedAtOnce(), onAbort: 'leave' });
  const ofA = ledger().newClient({ tenant: 'a', identity: 'a' });
  expect(await ofA.bulk.unpause({ all: true })).toMatchObject({ state: 'done', changed: 2 });
  expect(await bulk.get(operationId)).toMatchObject({ state: 'done', changed: 2, actor: 'test' });
  expect(await paused()).toEqual([]);
});

it('an operation whose schedules are still being recorded comes after those that were recorded meanwhile', async () => {
  await schedules(1);
  const other = ledger().newClient({ now: undefined });
  let unpause: BulkStatus | undefined;
  const pool = watchedPool(ledger(), {
    before: async (text) => {
      if (unpause || !/insert into .*bulk_schedules/.test(text)) return;
      unpause = await other.bulk.unpause({ all: true });
      await other.create(someSchedule({ scheduleId: 'new' }));
    },
  });
  const pause = await ledger()
    .newClient({ connectionString: undefined as never, pool, now: undefined })
    .bulk.pause({ all: true });
  expect(pause).toMatchObject({ state: 'done', changed: 2, failed: 0 });
  expect(pause.createdAt.getTime()).toBeGreaterThan(unpause!.createdAt.getTime());
  expect(await paused()).toEqual(['new', 's-00']);
});

it('two operations that are asked for at once have an order', async () => {
  await schedules(1);
  const left = () => ({ ...abortedAtOnce(), onAbort: 'leave' as const });
  let isRecorded = false;
  let second: Promise<BulkStatus> | undefined;
  const pool = watchedPool(ledger(), {
    before: async (text) => {
      if (/update .*bulk_operations.* set total/.test(text)) isRecorded = true;
      if (!isRecorded || second || !/^commit/i.test(text)) return;
      let isOver = false;
      second = ledger()
        .client.bulk.unpause({ all: true }, left())
        .finally(() => {
          isOver = true;
        });
      await expect.poll(async () => isOver || (await isBlocked())).toBe(true);
    },
  });
  const client = ledger().newClient({ connectionString: undefined as never, pool });
  const first = await client.bulk.pause({ all: true }, left());
  expect((await second)!.createdAt.getTime()).toBeGreaterThan(first.createdAt.getTime());
});
