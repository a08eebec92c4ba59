import { afterEach, expect, it, vi } from 'vitest';
import { POSTGRES_CHECKS } from '../../doctor/ledger/postgres';
import { runChecks } from '../../doctor/run-checks';
import { openStore } from '../../store/connection';
import { readSettings } from '../../store/settings';
import { readTriggerReports } from '../../store/trigger-reports';
import { useLedger } from '../support/ledger';

const ledger = useLedger();

afterEach(() => vi.restoreAllMocks());

it.each([
  ['is not found where only the answer was slow', 0, []],
  ['is found where the wait cannot explain it', 30_000, ['clock_off']],
])('a difference of the clocks that a wait of 20 seconds may hide %s', async (_, ahead, found) => {
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const now = new Date();
  const context = {
    ...{ store, now, triggers: [], hasSchedules: false },
    settings: await readSettings(store),
    reports: await readTriggerReports(store, now),
  };
  const check = POSTGRES_CHECKS.filter(({ name }) => name === 'the server');
  const realNow = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => realNow() + ahead);
  vi.mocked(Date.now).mockReturnValueOnce(realNow() + ahead - 20_000);
  expect((await runChecks(check, context)).map(({ id }) => id)).toEqual(found);
});
