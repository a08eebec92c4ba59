import { expect, it } from 'vitest';
import { SCHEDULE_CHECKS } from '../../doctor/ledger/schedules';
import { runChecks } from '../../doctor/run-checks';
import { openStore } from '../../store/connection';
import { readSettings } from '../../store/settings';
import { readTriggerReports } from '../../store/trigger-reports';
import { useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('doctor names a freeze whose filter it cannot read, planned ones too, until it is over', async () => {
  const { client } = ledger();
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const found = async () => {
    const now = new Date(ledger().clock.now());
    const [settings, reports] = [await readSettings(store), await readTriggerReports(store, now)];
    return runChecks(SCHEDULE_CHECKS, { store, now, settings, reports, triggers: [], hasSchedules: true });
  };
  const to = new Date('2026-03-01T05:00:00Z');
  await client.freezes.create({ query: `note = 'x'`, to });
  expect(await found()).toEqual([]);
  const { freeze } = await client.freezes.create({ query: `note = 'y'`, from: new Date('2026-03-01T03:00:00Z'), to });
  await ledger().query(`update escapement.freezes set query = 'owner LIKE ''b%''' where freeze_id = $1`, [
    freeze.freezeId,
  ]);
  expect(await found()).toMatchObject([
    {
      id: 'freeze_unreadable',
      severity: 'warning',
      text: expect.stringContaining(
        `1 freeze has a filter that this version cannot read, and holds all schedules of its tenant, source and IDs: '${freeze.freezeId}'. The first: query: character`,
      ),
      action: expect.stringContaining(`escapement freeze end ${freeze.freezeId}`),
    },
  ]);
  await client.freezes.end(freeze.freezeId!);
  expect(await found()).toEqual([]);
});
