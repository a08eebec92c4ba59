import { expect, it } from 'vitest';
import { describeSpec } from '../../../core/occurrences/describe';
import { normalSpec } from '../../../core/occurrences/normal-spec';
import type { ScheduleSpec } from '../../../core/schedule/spec';

const after = new Date('2026-11-20T12:00:00Z');
const lines = (spec: ScheduleSpec, scheduleId?: string) => describeSpec(spec, { after, scheduleId }).lines;

it('puts every part of a spec into words', () => {
  expect(
    lines({
      cron: ['0 2 * * *', '0 0 13 * FRI'],
      cronExpressions: ['0 0 13 * FRI # Friday the 13th', '30 9 1 1 * 2030', '@every 6h/45m'],
      calendars: [{ hour: [9, 17], dayOfWeek: { start: 'MONDAY', end: 'FRIDAY' }, comment: 'office' }],
      intervals: [
        { every: '90m', offset: '5m' },
        { every: '7 days', anchor: new Date('2026-01-05T09:00:00Z') },
      ],
      at: new Date('2027-01-01T00:00:00Z'),
      skip: [{ month: 'AUGUST', hour: '*' }],
      startAt: new Date('2026-01-01T00:00:00Z'),
      jitter: '10 minutes',
      timezone: 'Europe/Berlin',
    }),
  ).toEqual([
    'At 02:00',
    'At 00:00, on day 13 of the month, or on Friday',
    'At 00:00, on day 13 of the month, only on Friday (Friday the 13th)',
    'At 09:30, on day 1 of the month, only in January, only in 2030',
    'Every 6h, 45m after',
    'At 09:00 and 17:00, Monday through Friday (office)',
    'Every 1 hour 30 minutes, 5 minutes after',
    'Every 7 days counted from 2026-01-05T09:00:00Z',
    'Once at 2027-01-01T00:00:00Z',
    'Except: Every hour, only in August',
    'Not before 2026-01-01T00:00:00Z',
    'Started up to 10 minutes later',
    'Time zone Europe/Berlin',
  ]);
});

it('says the same of a spec and of its normal form', () => {
  const spec: ScheduleSpec = {
    calendars: [
      { hour: [9, 17], dayOfWeek: { start: 'MONDAY', end: 'FRIDAY' }, comment: 'office' },
      { minute: '*', hour: '*' },
    ],
    skip: [{ month: 'AUGUST', hour: '*' }],
  };
  expect(lines(normalSpec(spec))).toEqual(lines(spec));
});

it('says or where the schedule fires on either day, and keeps it apart from cronExpressions', () => {
  expect(
    lines({ cron: ['0 0 1 * 1-5', '0 0 1 * 5L', '0 0 1 * 2#1', '0 0 1 * */2', '0 0 L 5 FRI-MON', '0 0 1/1 * FRI'] }),
  ).toEqual([
    'At 00:00, on day 1 of the month, or Monday through Friday',
    'At 00:00, on day 1 of the month, or on the last Friday of the month',
    'At 00:00, on day 1 of the month, or on the first Tuesday of the month',
    'At 00:00, on day 1 of the month, or every 2 days of the week',
    'At 00:00, on the last day of the month, or Friday through Monday, only in May',
    'At 00:00',
  ]);
  expect(lines({ cronExpressions: ['0 0 1 * 1-5', '0 0 * * 1-7'] })).toEqual([
    'At 00:00, on day 1 of the month, Monday through Friday',
    'At 00:00, Monday through Saturday',
  ]);
});

it('gives an expression as it is where its words would leave out a part', () => {
  expect(lines({ cron: ['0 9 1,L-3 * *', '0 9 * * 1,2#3'] })).toEqual(['0 9 1,L-3 * *', '0 9 * * 1,2#3']);
});

it('says the weekday nearest to a day, and the days before the last', () => {
  expect(lines({ cron: ['0 9 15W * *', '0 9 LW * *', '0 9 L-3 * *', '0 9 L-3W * *'] })).toEqual([
    'At 09:00, on the weekday nearest day 15 of the month',
    'At 09:00, on the last weekday of the month',
    'At 09:00, 3 days before the last day of the month',
    'At 09:00, on the weekday nearest to the day 3 before the last of the month',
  ]);
});

it('puts the value in the place of H', () => {
  expect(lines({ cron: 'H H * * *' }, 'nightly')).toEqual(['At 18:34']);
});

it('gives the next five times, fewer when it ends', () => {
  expect(describeSpec({ cron: '0 0 1 * *' }, { after }).next).toHaveLength(5);
  expect(describeSpec({ at: new Date('2027-01-01T00:00:00Z') }, { after }).next).toEqual([
    new Date('2027-01-01T00:00:00Z'),
  ]);
});

it('is kept out of what computes occurrences', async () => {
  const { readFileSync, readdirSync } = await import('node:fs');
  const { join } = await import('node:path');
  const folder = join(__dirname, '../../../core/occurrences');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const importing = files.filter((file) =>
    /'(cronstrue|\.{1,2}\/(cron\/)?cron-words|\.{1,2}\/describe)'/.test(readFileSync(join(folder, file), 'utf8')),
  );
  expect(importing.sort()).toEqual(['cron/cron-words.ts', 'describe.ts']);
});
