import { expect, it } from 'vitest';
import { SCHEDULE_CHECKS } from '../../doctor/ledger/schedules';
import { runChecks } from '../../doctor/run-checks';
import { openStore } from '../../store/connection';
import { readSettings } from '../../store/settings';
import { readTriggerReports } from '../../store/trigger-reports';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

/** So many schedules whose timers are due although their next time is still to come. */
const fill = (count: number) =>
  ledger().query(
    `with s as (insert into escapement.schedules (schedule_id, version, created_at)
        select 'other-' || n, 1, now() from generate_series(1, $1::int) n),
      v as (insert into escapement.schedule_versions (schedule_id, version, namespace, spec, action, policies, created_at)
        select 'other-' || n, 1, v.namespace, v.spec, v.action, v.policies, now()
        from escapement.schedule_versions v, generate_series(1, $1::int) n where v.schedule_id = 'payroll')
      insert into escapement.timers (schedule_id, spec_format, wake_at, next_fire_at, answered_to)
        select 'other-' || n, 1, '2026-03-01T00:30Z', '2026-03-01T02:00Z', '2026-03-01T00:00Z' from generate_series(1, $1::int) n`,
    [count],
  );

it('an overdue schedule is found behind a thousand whose timers are due but that are not overdue', async () => {
  await ledger().client.create(someSchedule({ scheduleId: 'payroll' }));
  await fill(1_000);
  const store = openStore({ connectionString: ledger().databaseUrl });
  const now = new Date('2026-03-01T01:02:00Z');
  const [settings, reports] = [await readSettings(store), await readTriggerReports(store, now)];
  const context = { store, now, settings, reports, triggers: [], hasSchedules: true };
  expect(await runChecks(SCHEDULE_CHECKS, context).finally(() => store.close())).toMatchObject([
    { id: 'overdue', text: expect.stringMatching(/^1 schedule is due .*'payroll'\.$/) },
  ]);
});
