import { expect, it } from 'vitest';
import { Complaints } from '../../../logging/complaints';
import { openStore } from '../../../store/connection';
import { KnownMonths } from '../../../trigger/upkeep/known-months';
import { watchedPool } from '../../support/connections/watched-pool';
import { useLedger } from '../../support/ledger';

const ledger = useLedger();
const MINUTE = 60_000;

const monthsOf = () => new KnownMonths(new Complaints(ledger().log, { failing: 'missing', over: 'there' }));

it('a month that cannot be created is a problem until ten minutes after the last try, as when its schedule is paused', async () => {
  await ledger().query(`create table escapement.firings_in_the_way partition of escapement.firings
    for values from ('2020-05-01T00:00:00Z') to ('2020-06-01T00:00:00Z')`);
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const months = monthsOf();
  const now = ledger().clock.now();
  const tryAt = (at: number) => months.ensure(store, [new Date('2020-05-03T00:00:00Z')], at);
  expect(await tryAt(now)).toEqual(new Set(['2020-05']));
  expect(await tryAt(now + 9 * MINUTE)).toEqual(new Set(['2020-05']));
  const since = new Date(now).toISOString();
  expect(months.problems(now + 19 * MINUTE - 1)).toMatchObject([{ subject: '2020-05', since }]);
  expect(months.problems(now + 19 * MINUTE)).toEqual([]);
});

it('a month that another trigger has created is no problem, although this one may create none', async () => {
  const refuses = (text: string) => {
    if (text.includes('ensure_partition')) throw new Error('permission denied');
  };
  const store = openStore({ pool: watchedPool(ledger(), { before: refuses }) });
  ledger().beforeClose(() => store.close());
  const months = monthsOf();
  const now = ledger().clock.now();
  const month = new Date('2020-05-03T00:00:00Z');
  await expect(months.make(store, month, now)).rejects.toThrow('permission denied');
  expect(months.problems(now)).toMatchObject([{ subject: '2020-05' }]);
  await ledger().query(`select escapement.ensure_partition('2020-05-01Z'::timestamptz, true)`);
  await months.make(store, month, now);
  expect(months.problems(now)).toEqual([]);
});

it('months that cannot be created are tried only every five seconds, and one of them, so that claims rarely wait for the lock', async () => {
  let tries = 0;
  const refuses = (text: string) => {
    if (!text.includes('ensure_partition')) return;
    tries += 1;
    throw Object.assign(new Error('lock timeout'), { code: '55P03' });
  };
  const store = openStore({ pool: watchedPool(ledger(), { before: refuses }) });
  ledger().beforeClose(() => store.close());
  const months = monthsOf();
  const now = ledger().clock.now();
  const instants = [new Date('2020-05-03T00:00:00Z'), new Date('2020-06-03T00:00:00Z')];
  for (const at of [now, now + 4_999, now + 5_000]) {
    expect(await months.ensure(store, instants, at)).toEqual(new Set(['2020-05', '2020-06']));
  }
  expect(tries).toBe(2);
});
