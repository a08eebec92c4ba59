import { expect, inject, it } from 'vitest';
import { DatabaseClock } from '../../../trigger/clock';
import { proxyOf } from '../../support/connections/proxy';
import { someSchedule, useLedger } from '../../support/ledger';

// Loops on the real clock. The tests wait for events, however long they take.
const ledger = useLedger();

/** A running trigger that has started something through the proxy. After `work`, the test waits for another start. */
async function awayAndBack(work: (proxy: Awaited<ReturnType<typeof proxyOf>>) => Promise<void>): Promise<void> {
  const proxy = await proxyOf(inject('temporalAddress'));
  const client = ledger().newClient({ now: undefined });
  const everySecond = someSchedule({ spec: { cron: '* * * * * *' }, policies: { overlap: 'ALLOW_ALL' } });
  const { scheduleId } = await client.create(everySecond);
  const trigger = await ledger().trigger({
    connection: { address: proxy.address, connectTimeout: 60_000 },
    clock: new DatabaseClock(),
    limits: { startDeadlineMilliseconds: 1_000, reconcileIntervalMilliseconds: 100 },
  });
  const linked = async () =>
    (await ledger().query(`select from escapement.firings where schedule_id = $1 and state <> 'claimed'`, [scheduleId]))
      .length;
  const running = trigger.run();
  try {
    await expect.poll(linked).toBeGreaterThan(0);
    await work(proxy);
    const before = await linked();
    // Sooner than a connection's keepalive would find it.
    await expect.poll(linked, { timeout: 40_000 }).toBeGreaterThan(before);
  } finally {
    proxy.restore();
    trigger.shutdown();
    await running;
  }
}

it('a server that refuses connections is asked again at a steady pace, and firing goes on once it is back', async () => {
  await awayAndBack(async (proxy) => {
    proxy.cut();
    // By grpc's own pauses, which grow, the ninth attempt would come after more than a minute.
    await expect.poll(() => proxy.refused, { timeout: 50_000 }).toBeGreaterThanOrEqual(9);
    proxy.restore();
  });
});

it('a connection that a network has forgotten is replaced, and firing goes on', async () => {
  // By its keepalive alone it would be given up after three quarters of a minute.
  await awayAndBack(async (proxy) => proxy.silence());
});

it('a server that was silent for a while is asked on new connections, and firing goes on', async () => {
  await awayAndBack(async (proxy) => {
    proxy.holdAnswers();
    const { log } = ledger();
    await expect.poll(() => log.messages()).toContain('Temporal does not answer: due firings wait');
    // What was kept back is lost.
    proxy.silence();
    proxy.restore();
  });
});
