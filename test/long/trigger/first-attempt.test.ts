import { expect, inject, it } from 'vitest';
import { proxyOf } from '../../support/connections/proxy';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const DUE = '2026-03-01T01:00:00Z';

it('Temporal away keeps the first attempt in mind, which alone may have landed, and counts none that was never sent', async () => {
  const proxy = await proxyOf(inject('temporalAddress'));
  for (let index = 0; index < 2; index++) await ledger().client.create(someSchedule());
  const limits = { startDeadlineMilliseconds: 2_000 };
  const connection = { address: proxy.address, connectTimeout: 60_000 };
  const trigger = await ledger().trigger({ connection, startsInFlight: 1, limits });
  ledger().clock.set(DUE);
  await trigger.passes.claim();
  proxy.holdAnswers();
  expect(await trigger.passes.dispatch()).toMatchObject({ deferred: 2 });
  const attempts = () =>
    ledger().query<{ first: Date | null; last: Date | null }>(
      'select first_attempted_at as first, start_attempted_at as last from escapement.firings order by 1',
    );
  expect(await attempts()).toEqual([
    { first: new Date(DUE), last: new Date(DUE) },
    { first: null, last: null },
  ]);

  proxy.restore();
  await expect
    .poll(async () => {
      ledger().clock.advance(2_000);
      await trigger.passes.askAway();
      await trigger.passes.reconcile();
      await trigger.passes.dispatch();
      return ledger().query(`select from escapement.firings where state = 'linked'`);
    })
    .toHaveLength(2);
  const [first, second] = await attempts();
  expect(first!.first).toEqual(new Date(DUE));
  expect(second!.first!.getTime()).toBeGreaterThan(Date.parse(DUE));
});
