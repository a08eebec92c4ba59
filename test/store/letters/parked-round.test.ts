import { expect, it } from 'vitest';
import { openStore } from '../../../store/connection';
import { takeParkedRound } from '../../../store/letters/parked-round';
import { useLedger } from '../../support/ledger';

const ledger = useLedger();

const at = '2026-03-01T00:00:00Z';
const round = { incarnation: 'x', since: at, name: 'at once', againAt: at, isDone: false, places: {} };

it.each<[string, object, boolean]>([
  ['that has not begun', round, true],
  ['that has read a list in part, and one whole', { ...round, places: { default: 'page', other: true } }, true],
  ['with another name', { ...round, name: 'a third time' }, false],
  ['with places of another form', { ...round, places: { default: { page: 1 } } }, false],
  ['with a place that is no text', { ...round, places: { default: false } }, false],
  ['without places', { ...round, places: null }, false],
  ['whose instant cannot be read', { ...round, againAt: 'soon' }, false],
])('a round %s is taken only in a form that this version knows', async (_, value, isTaken) => {
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  await ledger().query(`insert into escapement.meta (key, value) values ('parked_round', $1)`, [JSON.stringify(value)]);
  const taken = await takeParkedRound(store, { owner: 'one', staleBefore: new Date(at) });
  expect(taken !== undefined).toBe(isTaken);
});
