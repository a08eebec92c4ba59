import { expect, it } from 'vitest';
import { FIRING_CHECKS } from '../../doctor/ledger/firings';
import { runChecks } from '../../doctor/run-checks';
import { openStore } from '../../store/connection';
import { readSettings } from '../../store/settings';
import { readTriggerReports } from '../../store/trigger-reports';
import { writeFiring } from '../support/alerts/alerts';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:00:00Z');

async function textsOf(): Promise<string[]> {
  const store = openStore({ connectionString: ledger().databaseUrl });
  const now = new Date('2026-03-01T12:00:00Z');
  const [settings, reports] = [await readSettings(store), await readTriggerReports(store, now)];
  const context = { store, now, settings, reports, triggers: [], hasSchedules: true };
  return (await runChecks(FIRING_CHECKS, context).finally(() => store.close())).map(({ text }) => text);
}

/** Repeat the firing of 11:00, each time a second earlier, with a check a second later. */
const repeat = (from: number, to: number) =>
  ledger().query(
    `insert into escapement.firings select (jsonb_populate_record(f, jsonb_build_object(
        'scheduled_time', f.scheduled_time - n * interval '1 second', 'check_at', f.check_at + n * interval '1 second'))).*
      from escapement.firings f, generate_series($1::int, $2::int) n where f.scheduled_time = '2026-03-01T11:00:00Z'`,
    [from, to],
  );

it.each([
  ['firings have waited', { state: 'claimed' }],
  ['workflows make no progress', { state: 'linked', workflow_id: 'w', run_id: 'r', stalled: 'no_worker' }],
])('if not all %s are counted, says so, whatever the count is', async (words, columns) => {
  await ledger().client.create(someSchedule({ scheduleId: 'many' }));
  await writeFiring(ledger(), '2026-03-01T11:00:00Z', { schedule_id: 'many', ...columns });
  await repeat(1, 1_199);
  expect((await textsOf())[0]).toMatch(new RegExp(`^1,?200 ${words}`));
  await repeat(1_200, 20_000);
  expect((await textsOf())[0]).toMatch(new RegExp(`^At least 1,?000 ${words}`));
});

it('if not all claims are read, says so of the late ones and of their routes, also where some are not late', async () => {
  await ledger().client.create(someSchedule({ scheduleId: 'many', policies: { alerts: { late: '2 hours' } } }));
  const announced = { schedule_id: 'many', state: 'claimed', check_at: '2026-03-01T12:00:00Z' };
  await writeFiring(ledger(), '2026-03-01T11:00:00Z', announced);
  await repeat(1, 3_999);
  expect((await textsOf())[0]).toMatch(/^400 firings have waited .*: 4,000 claims in namespace 'default'/);
  await repeat(4_000, 20_500);
  expect((await textsOf())[0]).toMatch(
    /^At least 16,400 firings have waited .*: at least 20,000 claims in namespace 'default'/,
  );
});

it('a late firing is found behind as many claims as one page has, all of a backfill', async () => {
  for (const scheduleId of ['backfilled', 'late']) await ledger().client.create(someSchedule({ scheduleId }));
  await writeFiring(ledger(), '2026-03-01T11:00:00Z', {
    schedule_id: 'backfilled',
    state: 'claimed',
    kind: 'backfill',
  });
  await repeat(1, 20_000);
  await writeFiring(ledger(), '2026-03-01T11:00:01Z', { schedule_id: 'late', state: 'claimed' });
  expect((await textsOf())[0]).toMatch(/^At least 1 firing has waited .* of 'late'/);
});
