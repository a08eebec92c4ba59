import { expect, it } from 'vitest';
import { openStore } from '../../../store/connection';
import { KnownMonths } from '../../../trigger/upkeep/known-months';
import { useLedger } from '../../support/ledger';

const ledger = useLedger();
const MINUTE = 60_000;

it('a month that cannot be created is a problem until ten minutes after the last try, as when its schedule is paused', async () => {
  await ledger().query(`create table escapement.firings_in_the_way partition of escapement.firings
    for values from ('2020-05-01T00:00:00Z') to ('2020-06-01T00:00:00Z')`);
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const months = new KnownMonths();
  const now = ledger().clock.now();
  const tryAt = (at: number) => months.ensure(store, [new Date('2020-05-03T00:00:00Z')], at);
  await expect(tryAt(now)).rejects.toThrow('overlap');
  await expect(tryAt(now + 9 * MINUTE)).rejects.toThrow('overlap');
  const since = new Date(now).toISOString();
  expect(months.problems(now + 19 * MINUTE - 1)).toMatchObject([{ subject: '2020-05', since }]);
  expect(months.problems(now + 19 * MINUTE)).toEqual([]);
});
