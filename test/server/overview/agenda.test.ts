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
      form.add(cron, false);
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
    form.add(`${n}`, false);
    return form;
  });
  const { minutes, ...agenda } = await countAgenda(forms, DAY);
  expect(agenda).toMatchObject({ firings: 1, schedules: 1, leftOut: 1, entries: [{ scheduleId: '1' }] });
  expect(minutes.reduce((sum, count) => sum + count)).toBe(1);
});

it('counts a paused schedule from the end of its pause on, minute by minute too', async () => {
  const cron = '* * * * * *';
  const pausedUntil = new Date('2026-03-06T17:30:30Z');
  const form = new FormInUse(cron, { cron }, 'paused', pausedUntil);
  form.add('paused', false);
  const { minutes, ...agenda } = await countAgenda([form], DAY);
  const seconds = (+DAY.to - +pausedUntil) / 1_000;
  expect(agenda).toMatchObject({ firings: seconds, forms: [{ first: pausedUntil }] });
  expect(minutes.slice(1_049, 1_052)).toEqual([0, 30, 60]);
  expect(minutes.reduce((sum, count) => sum + count)).toBe(seconds);
});

it('lets other requests be answered in the midst of one form', async () => {
  const never = { second: { start: 0, end: 59 }, minute: '*', hour: '*', year: 2000 } as const;
  const form = new FormInUse('busy', { cron: '* * * * * *', skip: Array.from({ length: 100 }, () => never) }, 'busy');
  form.add('busy', false);
  let isAnswered = false;
  setImmediate(() => {
    isAnswered = true;
  });
  expect(await countAgenda([form], DAY)).toMatchObject({ firings: 86_400, leftOut: 0 });
  expect(isAnswered).toBe(true);
});
