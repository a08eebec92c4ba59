import { expect, it } from 'vitest';
import type { Finding } from '../../doctor/finding';
import { SCHEDULE_CHECKS } from '../../doctor/ledger/schedules';
import { runChecks } from '../../doctor/run-checks';
import type { ScheduleOptions, ScheduleSpec } from '../../index';
import { openStore } from '../../store/connection';
import { readSettings } from '../../store/settings';
import { readTriggerReports } from '../../store/trigger-reports';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

const naming = (spec: Partial<ScheduleSpec>, options: Partial<ScheduleOptions> = {}) =>
  ledger().client.create(someSchedule({ spec: { cron: '0 3 * * *', ...spec }, ...options }));

async function found(): Promise<Finding[]> {
  const store = openStore({ connectionString: ledger().databaseUrl });
  try {
    const now = new Date(ledger().clock.now());
    const [settings, reports] = [await readSettings(store), await readTriggerReports(store, now)];
    const context = { store, now, settings, reports, triggers: [], hasSchedules: true };
    return (await runChecks(SCHEDULE_CHECKS, context)).filter(({ id }) => id === 'calendar_ends');
  } finally {
    await store.close();
  }
}

const texts = async () => (await found()).map(({ text }) => text);

it('finds a calendar of days that nears its last day, has ended or has no day, and says whose it is, how many schedules go by it and what to do', async () => {
  const { calendars } = ledger().client;
  const days = ['2026-01-01', '2026-04-30'];
  await calendars.put('holidays', { days });
  await calendars.put('holidays', { days: ['2025-12-25'], tenant: 'acme' });
  await calendars.put('closed', { days: [] });
  await calendars.put('nobody-names-it', { days: ['2026-01-01'] });
  await calendars.put('nor-this', { days: [] });
  expect(await texts()).toEqual([]);
  await naming({ skipDays: ['holidays'] });
  expect(await texts()).toEqual([]);

  await calendars.put('holidays', { days: ['2026-01-01', '2026-04-29'] });
  expect(await found()).toMatchObject([
    {
      severity: 'warning',
      text: "1 calendar used by schedules has no day from 2026-04-30 on: 'holidays' (1 schedule; its last day is 2026-04-29).",
      action: expect.stringContaining("'escapement calendar put holidays FILE'"),
      runBook: 'schedules-that-do-not-fire',
    },
  ]);
  for (let count = 0; count < 2; count++) await naming({ skipDays: ['holidays'] }, { tenant: 'acme' });
  await naming({ skipDays: ['closed', 'holidays'] });
  expect(await texts()).toEqual([
    "3 calendars used by schedules have no day from 2026-04-30 on: 'closed' (1 schedule; it has no day at all), " +
      "'holidays' of tenant 'acme' (2 schedules; its last day is 2025-12-25), 'holidays' (2 schedules; its last day is 2026-04-29).",
  ]);
  await calendars.put('closed', { days });
  expect((await found())[0]!.action).toContain("'escapement calendar put holidays FILE --tenant acme'");
});

it('finds it only where a schedule that is to fire goes by it: not paused for good, not deleted, and not finished', async () => {
  const { client, clock } = ledger();
  await client.calendars.put('holidays', { days: ['2026-01-01'] });
  const handle = await naming({ skipDays: ['holidays'] });
  expect(await texts()).toEqual([expect.stringContaining("'holidays' (1 schedule;")]);
  await handle.pause({ until: '2 hours' });
  expect(await texts()).toHaveLength(1);
  await handle.pause('for good');
  expect(await texts()).toEqual([]);
  await handle.unpause();
  expect(await texts()).toHaveLength(1);
  await handle.update((previous) => ({ ...previous, state: { ...previous.state, remainingActions: 0 } }));
  expect(await texts()).toEqual([]);
  await naming({ skipDays: ['holidays'], endAt: new Date('2026-03-01T03:30:00Z') });
  const deleted = await naming({ skipDays: ['holidays'] });
  await deleted.delete();
  expect(await texts()).toEqual([expect.stringContaining("'holidays' (1 schedule;")]);
  clock.set('2026-03-01T03:00:00Z');
  await (await ledger().trigger()).passes.claim();
  expect(await texts()).toEqual([]);
});

it('finds it for 60 days more where it has let a schedule finish that keeps to its days', async () => {
  const { client, clock } = ledger();
  await client.calendars.put('trading', { days: ['2026-03-01'] });
  const handle = await naming({ onlyDays: ['trading'] });
  clock.set('2026-03-01T03:00:00Z');
  await (await ledger().trigger()).passes.claim();
  expect((await handle.describe()).state).toMatchObject({ completed: true });
  clock.advance(59 * 86_400_000);
  expect(await texts()).toEqual([expect.stringContaining("'trading' (1 schedule; its last day is 2026-03-01)")]);
  clock.advance(86_400_000);
  expect(await texts()).toEqual([]);
});
