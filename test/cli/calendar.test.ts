import { expect, it } from 'vitest';
import { someSchedule, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';

const ledger = useLedger();

it('calendar put exits with 1 while a schedule goes on by the former days, and with 0 once all follow', async () => {
  const put = (day: string, ...flags: string[]) =>
    runCommand(['calendar', 'put', 'holidays', '--day', day, ...flags], { DATABASE_URL: ledger().databaseUrl });
  expect((await put('2098-12-24')).code).toBe(0);
  for (const scheduleId of ['plain', 'refused']) {
    await ledger().client.create(someSchedule({ scheduleId, spec: { cron: '@daily', skipDays: ['holidays'] } }));
  }
  await ledger().query(
    `alter table escapement.schedule_versions add constraint refuses check (schedule_id <> 'refused') not valid`,
  );
  const json = await put('2098-12-25', '--json');
  expect([json.code, JSON.parse(json.stdout)]).toMatchObject([
    1,
    { schedules: 1, failed: [{ scheduleId: 'refused' }] },
  ]);
  const table = await put('2098-12-25');
  expect([table.code, table.stdout]).toEqual([1, expect.stringContaining("'refused' still uses the former days")]);

  await ledger().query('alter table escapement.schedule_versions drop constraint refuses');
  expect((await put('2098-12-25')).code).toBe(0);
});
