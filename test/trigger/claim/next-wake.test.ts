import { expect, it } from 'vitest';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00.000Z');

async function claimAt(time: string) {
  const trigger = await ledger().trigger();
  await trigger.passes.claim();
  ledger().clock.set(time);
  const { claimed, nextWakeAt } = await trigger.passes.claim();
  return { claimed: claimed.length, nextWakeAt };
}

it('a claim says when what it has just claimed is due again, so that each second comes on time', async () => {
  await ledger().client.create(
    someSchedule({ spec: { intervals: [{ every: '1 second' }] }, policies: { overlap: 'ALLOW_ALL' } }),
  );
  expect(await claimAt('2026-03-01T00:30:01.093Z')).toEqual({
    claimed: 1,
    nextWakeAt: new Date('2026-03-01T00:30:02.000Z'),
  });
});

it('a claim of what is not due again before the next poll says nothing', async () => {
  await ledger().client.create(someSchedule());
  expect(await claimAt('2026-03-01T01:00:00.093Z')).toEqual({ claimed: 1, nextWakeAt: undefined });
});
