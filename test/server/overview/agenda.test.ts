import { expect, it } from 'vitest';
import { nextOccurrences } from '../../../core/occurrences';
import { countAgenda } from '../../../server/agenda/count';
import { FormInUse } from '../../../server/agenda/form';
import { COSTLY_SPEC } from '../../support/costly-spec';

const DAY = { from: new Date('2026-03-06T00:00:00Z'), to: new Date('2026-03-07T00:00:00Z') };

it('lists the first 500 firings by their time, in whatever order the forms are counted', async () => {
  const crons = [
    '0 12 * * *',
    '* 3-23 * * *',
    '*/2 2-23 * * *',
    '* 2 * * *',
    '*/7 * * * *',
    '30 0 * * *',
    '0 13 * * *',
  ];
  for (const order of [crons, crons.toReversed()]) {
    const all: { at: Date; scheduleId: string }[] = [];
    const forms = order.map((cron) => {
      const form = new FormInUse(cron, { cron }, cron);
      form.add(cron);
      const times = nextOccurrences({ cron }, { after: new Date(DAY.from.getTime() - 1), count: 1_500 });
      all.push(...times.filter((at) => at < DAY.to).map((at) => ({ at, scheduleId: cron })));
      return form;
    });
    all.sort((one, other) => +one.at - +other.at || (one.scheduleId < other.scheduleId ? -1 : 1));
    const { entries, firings } = await countAgenda(forms, DAY);
    expect({ entries, firings }).toEqual({ entries: all.slice(0, 500), firings: all.length });
  }
});

it('leaves out a schedule whose times take too long to find, and counts the others', async () => {
  const forms = [COSTLY_SPEC, { cron: '0 12 * * *' }].map((spec, n) => {
    const form = new FormInUse(`${n}`, spec, `${n}`);
    form.add(`${n}`);
    return form;
  });
  const { minutes, ...agenda } = await countAgenda(forms, DAY);
  expect(agenda).toMatchObject({ firings: 1, schedules: 1, leftOut: 1, entries: [{ scheduleId: '1' }] });
  expect(minutes.reduce((sum, count) => sum + count)).toBe(1);
});

it('counts each paused schedule of a form from the end of its pause on, minute by minute too', async () => {
  const cron = '* * * * * *';
  const ends = { early: '2026-03-06T17:30:30Z', late: '2026-03-06T17:31:15.5Z', tomorrow: '2026-03-07T00:00:00Z' };
  const form = new FormInUse(cron, { cron }, 'early');
  for (const [scheduleId, end] of Object.entries(ends)) form.add(scheduleId, { firesFrom: new Date(end) });
  const { minutes, ...agenda } = await countAgenda([form], DAY);
  const seconds = (end: string) => Math.floor((+DAY.to - Date.parse(end)) / 1_000);
  const firings = seconds(ends.early) + seconds(ends.late);
  expect(agenda).toMatchObject({ firings, schedules: 2, forms: [{ first: new Date(ends.early) }] });
  expect(minutes.slice(1_049, 1_053)).toEqual([0, 30, 104, 120]);
  expect(minutes.reduce((sum, count) => sum + count)).toBe(firings);

  form.add('live');
  expect((await countAgenda([form], DAY)).firings).toBe(firings + 86_400);
});

it('lets other requests be answered in the midst of one form, and counts the schedules that it had before', async () => {
  const never = { second: { start: 0, end: 59 }, minute: '*', hour: '*', year: 2000 } as const;
  let isAnswered = false;
  /** Once its count begins, another request changes it. */
  class ChangingForm extends FormInUse {
    override compiled() {
      setImmediate(() => {
        isAnswered = true;
        for (const scheduleId of [...this.schedules]) this.remove(scheduleId);
      });
      return super.compiled();
    }
  }
  const form = new ChangingForm(
    'busy',
    { cron: '* * * * * *', skip: Array.from({ length: 100 }, () => never) },
    'busy',
  );
  form.add('busy');
  for (const paused of ['one', 'other']) form.add(paused, { firesFrom: DAY.to });
  const { minutes, ...agenda } = await countAgenda([form], DAY);
  expect(agenda).toMatchObject({ firings: 86_400, schedules: 1, leftOut: 0 });
  expect(new Set(minutes)).toEqual(new Set([60]));
  expect(isAnswered).toBe(true);
});
