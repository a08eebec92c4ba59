import { expect, it } from 'vitest';
import type { Finding } from '../../../doctor/finding';
import type { LedgerContext } from '../../../doctor/ledger/context';
import { FIRING_CHECKS } from '../../../doctor/ledger/firings';
import { runChecks } from '../../../doctor/run-checks';
import { findingsOf } from '../../../server/overview/verdict';
import { openStore } from '../../../store/connection';
import { readSettings } from '../../../store/settings';
import { readTriggerReports } from '../../../store/trigger-reports';
import { writeFiring } from '../../support/alerts/alerts';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:00:00Z');

const doctor = (context: LedgerContext) => runChecks(FIRING_CHECKS, context);

async function textsOf(
  find: (context: LedgerContext) => Promise<Finding[]> = doctor,
  store = openStore({ connectionString: ledger().databaseUrl }),
): Promise<string[]> {
  const now = new Date('2026-03-01T12:00:00Z');
  const [settings, reports] = [await readSettings(store), await readTriggerReports(store, now)];
  const context = { store, now, settings, reports, triggers: [], hasSchedules: true };
  return (await find(context).finally(() => store.close())).map(({ text }) => text);
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

it('the overview reads one page of claims, and knows late firings behind it by their alerts', async () => {
  for (const scheduleId of ['backfilled', 'late']) await ledger().client.create(someSchedule({ scheduleId }));
  const backfilled = { schedule_id: 'backfilled', state: 'claimed', kind: 'backfill' };
  await writeFiring(ledger(), '2026-03-01T11:00:00Z', backfilled);
  await repeat(1, 20_000);
  await writeFiring(ledger(), '2026-03-01T11:00:01Z', { schedule_id: 'late', state: 'claimed' });
  await ledger().query(
    `insert into escapement.alerts (alert_id, condition, subject, tenant, schedule_id, opened_at, last_seen_at, looked_at, count, text)
     values (gen_random_uuid(), 'late', 'late', '', 'late', now(), now(), now(), 1, 'is late')`,
  );
  let pages = 0;
  const before = (text: string) => {
    if (text.includes('f.check_at is null')) pages++;
  };
  const store = openStore({ connectionString: undefined, pool: watchedPool(ledger(), { before }) });
  expect(await textsOf(findingsOf, store)).toContain("1 schedule has a firing that waits for its start: 'late'.");
  expect(pages).toBe(1);
  const late = async () => (await textsOf(findingsOf)).filter((text) => /firing (has waited|that waits)/.test(text));
  await ledger().query(`delete from escapement.firings where kind = 'backfill'`);
  expect(await late()).toEqual([expect.stringMatching(/^1 firing has waited/)]);
  // The alert stays open for a while, although no claim waits any more.
  await ledger().query(`delete from escapement.firings where schedule_id = 'late'`);
  expect(await late()).toEqual([]);
});
