import { expect, it } from 'vitest';
import { someSchedule, useLedger } from '../support/ledger';

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
