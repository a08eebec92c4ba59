import { expect, it } from 'vitest';
import { POSTGRES_CHECKS } from '../../doctor/ledger/postgres';
import { runChecks } from '../../doctor/run-checks';
import { openStore } from '../../store/connection';
import { readSettings } from '../../store/settings';
import { readTriggerReports } from '../../store/trigger-reports';
import { useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-31T23:30:00Z');

it('the month after a new one is missed only once triggers have had the time to create it', async () => {
  await ledger().query(`select escapement.ensure_partition('2026-04-01Z'::timestamptz)`);
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const settings = await readSettings(store);
  const check = POSTGRES_CHECKS.filter(({ name }) => name === 'months of firings');
  const found = async (time: string) => {
    const now = new Date(time);
    const reports = await readTriggerReports(store, now);
    const context = { store, now, settings, reports, triggers: [], hasSchedules: true };
    return (await runChecks(check, context)).map(({ text }) => text);
  };
  expect(await found('2026-04-01T00:04:59Z')).toEqual([]);
  expect(await found('2026-04-01T00:05:00Z')).toEqual([expect.stringContaining('2026-05 is missing')]);
  expect(await found('2026-05-01T00:00:01Z')).toEqual([expect.stringContaining('2026-05 is missing')]);
});
