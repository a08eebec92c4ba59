import { expect, it } from 'vitest';
import type { ScheduleSpec } from '../../../index';
import { SPEC_FORMAT } from '../../../store/spec-format';
import { someSchedule, useLedger } from '../../support/ledger';

// A Wednesday, before days that nearly nobody works on.
const ledger = useLedger('2026-12-23T12:00:00Z');
const at = (time: string) => new Date(`2026-12-${time}Z`);
const daily: ScheduleSpec = { cron: '0 2 * * *', skipDays: ['holidays'] };

async function created(spec: ScheduleSpec = daily, days = ['2026-12-25', '2026-12-26']) {
  await ledger().client.calendars.put('holidays', { days });
  return ledger().client.create(someSchedule({ scheduleId: 'nightly', spec, policies: { overlap: 'ALLOW_ALL' } }));
}

/** Claims once a day at noon, until a day. */
async function live(until: number) {
  const { passes } = await ledger().trigger();
  for (let day = new Date(ledger().clock.now()).getUTCDate(); day <= until; day++) {
    ledger().clock.set(`2026-12-${day}T12:00:00Z`);
    await passes.claim();
  }
}

it('on days that it skips nothing fires and nothing is answered; on the others it fires on', async () => {
  const handle = await created();
  expect((await handle.describe()).info.nextActionTimes.slice(0, 2)).toEqual([at('24T02:00:00'), at('27T02:00:00')]);
  await live(28);
  expect(await ledger().answers('nightly')).toEqual([
    '12-24T02:00:00 catchup claimed',
    '12-27T02:00:00 catchup claimed',
    '12-28T02:00:00 catchup claimed',
  ]);
});

it('a change of the calendar is followed at once, for what was not due by then; what was is answered by the former days', async () => {
  const handle = await created();
  const { passes } = await ledger().trigger();
  ledger().clock.set('2026-12-24T12:00:00Z');
  // The 24th is due, and no trigger has come to it.
  const result = await ledger().client.calendars.put('holidays', { days: ['2026-12-24', '2026-12-26', '2026-12-28'] });
  expect(result).toMatchObject({
    status: 'changed',
    schedules: 1,
    added: ['2026-12-24', '2026-12-28'],
    removed: ['2026-12-25'],
  });
  expect((await handle.describe()).info.nextActionTimes.slice(0, 2)).toEqual([at('25T02:00:00'), at('27T02:00:00')]);
  await passes.claim();
  await live(29);
  expect(await ledger().answers('nightly')).toEqual([
    '12-24T02:00:00 catchup claimed',
    '12-25T02:00:00 catchup claimed',
    '12-27T02:00:00 catchup claimed',
    '12-29T02:00:00 catchup claimed',
  ]);
  const versions = [];
  for await (const version of handle.versions()) versions.push(version);
  expect(versions.map(({ version, changed, actor }) => ({ version, changed, actor }))).toEqual([
    { version: 2, changed: ['spec.calendarDays.holidays'], actor: 'test' },
    { version: 1, changed: [], actor: 'test' },
  ]);
});

it('a schedule that keeps to days is over with the last of them, and goes on when the calendar has more', async () => {
  const handle = await created({ cron: '0 2 * * *', onlyDays: ['holidays'] }, ['2026-12-24', '2026-12-25']);
  await live(27);
  expect(await ledger().answers('nightly')).toEqual([
    '12-24T02:00:00 catchup claimed',
    '12-25T02:00:00 catchup claimed',
  ]);
  expect((await handle.describe()).state).toMatchObject({ completed: true });
  await ledger().client.calendars.put('holidays', { days: ['2026-12-25', '2026-12-29'] });
  expect((await handle.describe()).info.nextActionTimes).toEqual([at('29T02:00:00')]);
  await live(30);
  expect((await ledger().answers('nightly')).at(-1)).toBe('12-29T02:00:00 catchup claimed');
});

it('a trigger that knows no calendars leaves such a schedule alone, paused with an end or not, and only while it names days', async () => {
  const formats = async () =>
    (await ledger().query<{ spec_format: number }>('select spec_format from escapement.timers'))[0]!.spec_format;
  const handle = await created();
  expect(SPEC_FORMAT).toBe(4);
  expect(await formats()).toBe(4);
  await handle.pause({ until: '1 hour' });
  expect(await formats()).toBe(4);
  ledger().clock.set('2026-12-23T14:00:00Z');
  await (await ledger().trigger()).passes.claim();
  expect((await handle.describe()).state).toMatchObject({ paused: false });
  expect(await formats()).toBe(4);
  await handle.pause('for good');
  await handle.unpause();
  await handle.delete();
  await ledger().client.create(someSchedule({ scheduleId: 'nightly', spec: daily }));
  expect(await formats()).toBe(4);
  await handle.update(({ spec: { skipDays: _, ...spec }, action }) => ({ spec, action }));
  expect(await formats()).toBe(1);
});
