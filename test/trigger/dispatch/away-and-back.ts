import { expect, inject } from 'vitest';
import { DatabaseClock } from '../../../trigger/clock';
import { proxyOf } from '../../support/connections/proxy';
import { someSchedule, type TestLedger } from '../../support/ledger';

/** A running trigger that has started something through the proxy. After `work`, the test waits for another start. */
export async function awayAndBack(
  ledger: TestLedger,
  work: (proxy: Awaited<ReturnType<typeof proxyOf>>) => Promise<void>,
): Promise<void> {
  const proxy = await proxyOf(inject('temporalAddress'));
  const client = ledger.newClient({ now: undefined });
  const everySecond = someSchedule({ spec: { cron: '* * * * * *' }, policies: { overlap: 'ALLOW_ALL' } });
  const { scheduleId } = await client.create(everySecond);
  const trigger = await ledger.trigger({
    connection: { address: proxy.address, connectTimeout: 60_000 },
    clock: new DatabaseClock(),
    limits: { startDeadlineMilliseconds: 1_000, reconcileIntervalMilliseconds: 100 },
  });
  const linked = async () =>
    (await ledger.query(`select from escapement.firings where schedule_id = $1 and state <> 'claimed'`, [scheduleId]))
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
