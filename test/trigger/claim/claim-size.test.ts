import { expect, it } from 'vitest';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('one pass takes so many firings of all schedules together, and the next passes take the rest', async () => {
  for (let schedule = 0; schedule < 3; schedule++) {
    await ledger().client.create(someSchedule({ policies: { overlap: 'ALLOW_ALL' } }));
  }
  const trigger = await ledger().trigger({ limits: { firingsPerPass: 6 } });
  ledger().clock.set('2026-03-01T05:00:00Z');
  const taken: number[] = [];
  for (let pass = 0; pass < 4; pass++) taken.push((await trigger.passes.claim()).claimed.length);
  expect(taken).toEqual([6, 6, 3, 0]);
});

it('one pass takes one of each schedule at least', async () => {
  for (let schedule = 0; schedule < 3; schedule++) {
    await ledger().client.create(someSchedule({ policies: { overlap: 'ALLOW_ALL' } }));
  }
  const trigger = await ledger().trigger({ limits: { firingsPerPass: 2 } });
  ledger().clock.set('2026-03-01T02:00:00Z');
  expect((await trigger.passes.claim()).claimed).toHaveLength(3);
});

async function createMany(count: number) {
  for (let index = 0; index < count; index++)
    await ledger().client.create(someSchedule({ policies: { overlap: 'ALLOW_ALL' } }));
}

it('behind a backlog claims take twice as much each time, up to eight batches, and a batch when it is gone', async () => {
  await createMany(40);
  const trigger = await ledger().trigger({ limits: { batchSize: 2 } });
  while ((await trigger.passes.claim()).more) {}
  const claims = async () => {
    ledger().clock.advance(3_600_000);
    const taken: number[] = [];
    for (let more = true; more; ) {
      const pass = await trigger.passes.claim();
      taken.push(pass.due);
      more = pass.more;
    }
    return taken;
  };
  expect(await claims()).toEqual([2, 4, 8, 16, 10]);
  expect(await claims()).toEqual([2, 4, 8, 16, 10]);
  const rows = await ledger().query('select distinct schedule_id, scheduled_time from escapement.firings');
  expect(rows).toHaveLength(80);
});

it('a claim that was too much for one transaction is followed by one of a batch', async () => {
  await createMany(20);
  let fails = false;
  const pool = watchedPool(ledger(), {
    before: (text) => {
      if (!fails || !text.includes('insert into "escapement"."firings"')) return;
      fails = false;
      throw new Error('canceling statement due to statement timeout');
    },
  });
  const trigger = await ledger().trigger({ pool, limits: { batchSize: 2 } });
  while ((await trigger.passes.claim()).more) {}
  ledger().clock.advance(3_600_000);
  expect((await trigger.passes.claim()).due).toBe(2);
  expect((await trigger.passes.claim()).due).toBe(4);
  fails = true;
  const firings = async () => (await ledger().query('select from escapement.firings')).length;
  const before = await firings();
  await expect(trigger.passes.claim()).rejects.toThrow('statement timeout');
  // The first half was written, and the second half is claimed again.
  expect(await firings()).toBe(before + 4);
  expect((await trigger.passes.claim()).due).toBe(2);
  while ((await trigger.passes.claim()).more) {}
  expect(await firings()).toBe(20);
});

it('a page does not grow where each schedule would get less of it', async () => {
  await createMany(4);
  const trigger = await ledger().trigger({ limits: { batchSize: 2, firingsPerPass: 8 } });
  while ((await trigger.passes.claim()).more) {}
  ledger().clock.advance(4 * 3_600_000);
  expect(await trigger.passes.claim()).toMatchObject({ due: 2, claimed: { length: 8 } });
  expect(await trigger.passes.claim()).toMatchObject({ due: 2, claimed: { length: 8 } });
});
