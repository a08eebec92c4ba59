import { expect, it } from 'vitest';
import { useLedger } from '../../support/ledger';
import { awayAndBack } from './away-and-back';

// Loops on the real clock. The test waits for events, however long they take.
const ledger = useLedger();

it('a server that refuses connections is asked again at a steady pace, and firing goes on once it is back', async () => {
  await awayAndBack(ledger(), async (proxy) => {
    proxy.cut();
    // By grpc's own pauses, which grow, the ninth attempt would come after more than a minute.
    await expect.poll(() => proxy.refused, { timeout: 50_000 }).toBeGreaterThanOrEqual(9);
    proxy.restore();
  });
});
