import { expect, it } from 'vitest';
import { openStore } from '../../../store/connection';
import { readExclusionsOf } from '../../../store/firings/exclude';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';
import { mostRead } from '../../support/statements/plans';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('of each schedule, a claim reads only exclusions that the schedule has not answered', async () => {
  await ledger().query("select escapement.ensure_partition('2026-03-01Z')");
  await ledger().query(
    `insert into escapement.firings (schedule_id, scheduled_time, state, reason, kind, namespace, schedule_version, claimed_at)
     select 's' || n % 200, '2026-03-01Z'::timestamptz + n * interval '1 minute', 'skipped', 'excluded', 'schedule', 'default', 1,
       '2026-03-01Z' from generate_series(1, 20000) n;
     analyze escapement.firings`,
  );
  const sent: [string, unknown[]][] = [];
  const store = openStore({ pool: watchedPool(ledger(), { before: (text, values) => sent.push([text, values]) }) });
  ledger().beforeClose(() => store.close());
  const schedules = [
    { scheduleId: 's0', after: new Date('2026-03-14T13:00:00Z') },
    { scheduleId: 's1', after: new Date('2026-03-14T16:20:00Z') },
    { scheduleId: 'none', after: new Date('2026-01-01T00:00:00Z') },
  ];
  const excluded = await readExclusionsOf(store, schedules);
  const count = (id: string) => excluded.filter(({ scheduleId }) => scheduleId === id).length;
  expect([count('s0'), count('s1')]).toEqual([3, 1]);
  const [text, values] = sent.find(([one]) => one.includes('excluded'))!;
  const { rows } = await ledger().sql.query(`explain (analyze, format json) ${text}`, values);
  expect(mostRead(rows[0]['QUERY PLAN'][0].Plan)).toBeLessThan(50);
});

it('a schedule with very many exclusions fires', async () => {
  const policies = { overlap: 'ALLOW_ALL', catchupLimit: 3_000, catchupWindow: '365 days' } as const;
  const { scheduleId } = await ledger().client.create(someSchedule({ spec: { cron: '* * * * *' }, policies }));
  await ledger().query("select escapement.ensure_partition('2026-03-01Z')");
  await ledger().query(
    `insert into escapement.firings (schedule_id, scheduled_time, state, reason, kind, namespace, schedule_version, claimed_at)
     select $1, '2026-03-01T00:30Z'::timestamptz + n * interval '2 minutes', 'skipped', 'excluded', 'schedule', 'default', 1,
       '2026-03-01Z' from generate_series(1, 3000) n`,
    [scheduleId],
  );
  ledger().clock.set('2026-03-06T12:00:00Z');
  const { passes } = await ledger().trigger();
  expect((await passes.claim()).claimed.length).toBeGreaterThan(0);
  expect(await ledger().query('select spec_error from escapement.schedules')).toEqual([{ spec_error: null }]);
});
