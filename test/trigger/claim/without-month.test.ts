import { expect, it } from 'vitest';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-05-31T11:00:00Z');

it('a schedule whose month cannot be created does not keep the others from being claimed, and is claimed once it can', async () => {
  const { client, clock, log } = ledger();
  const may = await client.create(someSchedule({ spec: { cron: '0 12 31 5 *' } }));
  const june = await client.create(someSchedule({ spec: { cron: '0 0 1 6 *' } }));
  await ledger().query(`drop table if exists escapement.firings_202605;
    create table escapement.in_the_way partition of escapement.firings for values from ('2026-05-01Z') to ('2026-06-01Z')`);
  const { passes } = await ledger().trigger();
  clock.set('2026-06-01T00:00:00Z');
  expect((await passes.claim()).claimed).toMatchObject([{ scheduleId: june.scheduleId }]);
  await passes.claim();
  expect(log.lines.filter(({ message }) => message.startsWith('a month of firings cannot be created'))).toMatchObject([
    { meta: { month: '2026-05', error: expect.stringContaining('overlap') } },
  ]);
  await ledger().query('drop table escapement.in_the_way');
  clock.advance(5_000);
  expect((await passes.claim()).claimed).toMatchObject([{ scheduleId: may.scheduleId }]);
});
