import { expect, it } from 'vitest';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('a take that Postgres refuses is tried again within seconds, though no claim comes behind it', async () => {
  await ledger().client.create(someSchedule());
  let refusals = 0;
  const refuse = (text: string) => {
    if (!text.includes('take_from_lanes') || refusals >= 6) return;
    refusals += 1;
    throw new Error('no memory is left');
  };
  // A loop that fails sleeps on for its interval of a minute, which is beyond the wait of this test.
  const limits = { claimIntervalMilliseconds: 50, reconcileIntervalMilliseconds: 3_600_000 };
  const trigger = await ledger().trigger({ pool: watchedPool(ledger(), { before: refuse }), limits });
  const running = trigger.run();
  try {
    ledger().clock.set('2026-03-01T01:00:00Z');
    const linked = () => ledger().query(`select 1 from escapement.firings where run_id is not null`);
    await expect.poll(linked, { timeout: 40_000 }).toHaveLength(1);
    expect(refusals).toBe(6);
  } finally {
    trigger.shutdown();
    await running;
  }
});
