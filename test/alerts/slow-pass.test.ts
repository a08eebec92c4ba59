import { expect, it } from 'vitest';
import { raiseAlerts } from '../../alerts/open-and-resolve';
import { openStore } from '../../store/connection';
import { useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:00:00Z');

it('an alert pass that takes two minutes is no time without alert passes', async () => {
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  /** A pass whose clock shows these times, and then the last of them. */
  const pass = async (...times: string[]) => {
    const clock = () => new Date(`2026-03-01T01:${times.length > 1 ? times.shift() : times[0]}Z`);
    const result = await raiseAlerts(store, { clock, webhooks: [] });
    return result!.opened.map(({ condition }) => condition);
  };
  expect(await pass('00:00')).toEqual([]);
  expect(await pass('00:05', '02:05')).toEqual([]);
  expect(await pass('02:10')).toEqual([]);
  expect(await pass('03:10')).toEqual(['no_trigger']);
});
