import { expect, it } from 'vitest';
import { useLedger } from '../../support/ledger';
import { awayAndBack } from '../../trigger/dispatch/away-and-back';

// Loops on the real clock. The tests wait for events, however long they take.
const ledger = useLedger();

it('a connection that a network has forgotten is replaced, and firing goes on', async () => {
  // By its keepalive alone it would be given up after three quarters of a minute.
  await awayAndBack(ledger(), async (proxy) => proxy.silence());
});

it('a server that was silent for a while is asked on new connections, and firing goes on', async () => {
  await awayAndBack(ledger(), async (proxy) => {
    proxy.holdAnswers();
    const { log } = ledger();
    await expect.poll(() => log.messages()).toContain('Temporal does not answer: due firings wait');
    // What was kept back is lost.
    proxy.silence();
    proxy.restore();
  });
});
