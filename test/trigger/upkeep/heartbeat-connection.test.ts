import { expect, it } from 'vitest';
import { watchedPool } from '../../support/connections/watched-pool';
import { useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('slow statements leave a trigger the connection for its heartbeat, so that others do not take its work over', async () => {
  let letGo = () => {};
  const gone = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let isSlow = false;
  let held = 0;
  const before = () => {
    if (!isSlow) return undefined;
    held += 1;
    return gone;
  };
  const pool = { ...watchedPool(ledger(), { before }, 3), options: { max: 3 } };
  const trigger = await ledger().trigger({ connectionString: undefined as never, pool });
  ledger().beforeClose(async () => letGo());
  await trigger.passes.heartbeat();
  isSlow = true;
  const passes = Array.from({ length: 6 }, () => trigger.passes.claim());
  await expect.poll(() => held).toBe(2);
  for (let time = 0; time < 5; time++) await ledger().query('select 1');
  isSlow = false;
  ledger().clock.advance(5_000);
  await trigger.passes.heartbeat();
  expect(await ledger().query('select heartbeat_at from escapement.triggers')).toEqual([
    { heartbeat_at: new Date('2026-03-01T00:30:05Z') },
  ]);
  letGo();
  await Promise.all(passes);
});
