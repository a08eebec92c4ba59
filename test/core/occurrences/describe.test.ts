import { expect, it } from 'vitest';
import { nextOccurrences } from '../../../core/occurrences';
import { describeSpec, specInWords } from '../../../core/occurrences/describe';
import { normalSpec } from '../../../core/occurrences/normal-spec';
import type { CalendarSpec, ScheduleSpec } from '../../../core/schedule/spec';

const after = new Date('2026-11-20T12:00:00Z');
const lines = (spec: ScheduleSpec, scheduleId?: string) => describeSpec(spec, { after, scheduleId }).lines;

it('has words and a normal form for as many instants as a spec may have', () => {
  const at = Array.from({ length: 10_000 }, (_, day) => new Date(after.getTime() + (day + 1) * 1000));
  const spec = { at, cronExpressions: ['0 2 * * *'] };
  expect(lines(spec)).toHaveLength(10_001);
  expect(normalSpec(spec)).toMatchObject({ at, calendars: [{ comment: '' }] });
});

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

it('gives as many times as are asked for, all later than the given instant', () => {
  const { next } = describeSpec({ cron: '0 12 * * *' }, { after, count: 2 });
  expect(next).toEqual([new Date('2026-11-21T12:00:00Z'), new Date('2026-11-22T12:00:00Z')]);
  expect(describeSpec({ cron: '0 12 * * *' }, { after, count: 0 }).next).toEqual([]);
});

it('never fires by a calendar in which a field has no value', () => {
  expect(nextOccurrences({ calendars: [{ hour: [] }] }, { after, count: 1 })).toEqual([]);
});

it('gives the times of H for the schedule, and refuses H without one', () => {
  const { next } = describeSpec({ cron: 'H H * * *' }, { after, count: 1, scheduleId: 'nightly' });
  expect(next).toEqual([new Date('2026-11-20T18:34:00Z')]);
  expect(() => describeSpec({ cron: 'H H * * *' }, { after })).toThrow('scheduleId');
});

it.each<[spec: ScheduleSpec, words: string[]]>([
  [{}, []],
  [{ skipDays: ['de-holidays', '2026-12-24'] }, ['Not on days of de-holidays, 2026-12-24']],
  [{ onlyDays: ['2026-12-24', 'trading'] }, ['Only on days of 2026-12-24, trading']],
  [{ skipDays: [], skip: [], cron: [], at: [] }, []],
  [{ startAt: new Date('2026-01-01T00:00:00.250Z') }, ['Not before 2026-01-01T00:00:00.250Z']],
  [{ endAt: new Date('2027-01-01T00:00:00Z') }, ['Not after 2027-01-01T00:00:00Z']],
  [{ jitter: '90s' }, ['Started up to 90s later']],
  [{ jitter: 1_500 }, ['Started up to 1500 ms later']],
  [{ jitter: 0 }, []],
  [{ timezone: 'Asia/Tokyo' }, ['Time zone Asia/Tokyo']],
  [{ timezone: '' }, []],
  [{ cronExpressions: ['CRON_TZ=Asia/Tokyo 0 12 * * *'] }, ['At 12:00', 'Time zone Asia/Tokyo']],
  [{ cronExpressions: ['0 12 * * *'] }, ['At 12:00']],
  [{ calendars: [{ hour: [] }] }, ['Never: a field of the calendar has no value']],
  [{ calendars: [{ hour: 12, year: [] }] }, ['At 12:00']],
  [{ cron: '0 12 * * *', skip: [{ hour: [] }] }, ['At 12:00']],
  [{ at: [new Date(0), new Date(1_000)] }, ['Once at 1970-01-01T00:00:00Z', 'Once at 1970-01-01T00:00:01Z']],
])('puts only what a spec has into words: %j', (spec, words) => {
  expect(specInWords(spec, undefined)).toEqual(words);
});

type Interval = NonNullable<ScheduleSpec['intervals']>[number];

it.each<[interval: Interval, words: string]>([
  [{ every: '1s' }, 'Every 1 second'],
  [{ every: '2s' }, 'Every 2 seconds'],
  [{ every: '60s' }, 'Every 1 minute'],
  [{ every: '90m' }, 'Every 1 hour 30 minutes'],
  [{ every: '24h' }, 'Every 1 day'],
  [{ every: '3 weeks' }, 'Every 21 days'],
  [{ every: 86_400_000 + 3_600_000 + 60_000 + 1_000 }, 'Every 1 day 1 hour 1 minute 1 second'],
  [{ every: 2 * (86_400_000 + 1_000) }, 'Every 2 days 2 seconds'],
  [{ every: 1_999 }, 'Every 1 second'],
  [{ every: '1h', offset: 0 }, 'Every 1 hour'],
  [{ every: '1h', offset: '1s' }, 'Every 1 hour, 1 second after'],
  [{ every: '1h', anchor: new Date(0) }, 'Every 1 hour counted from 1970-01-01T00:00:00Z'],
  [
    { every: '1h', offset: '5m', anchor: new Date('2026-01-05T09:30:00Z') },
    'Every 1 hour counted from 2026-01-05T09:30:00Z, 5 minutes after',
  ],
])('says of the interval %j: %s', (interval, words) => {
  expect(lines({ intervals: [interval] })).toEqual([words]);
});

const between = (start: number, end: number, step?: number) =>
  step === undefined ? { start, end } : { start, end, step };

it.each<[calendar: CalendarSpec, words: string]>([
  [{}, 'At 00:00'],
  [{ second: 5 }, 'At 00:00:05'],
  [{ minute: 7 }, 'At 00:07'],
  [{ hour: 7 }, 'At 07:00'],
  [{ dayOfMonth: 7 }, 'At 00:00, on day 7 of the month'],
  [{ month: 'MARCH' }, 'At 00:00, only in March'],
  [{ month: ['MARCH', 'MAY'] }, 'At 00:00, only in March and May'],
  [{ dayOfWeek: 'WEDNESDAY' }, 'At 00:00, only on Wednesday'],
  [{ dayOfWeek: { start: 'TUESDAY', end: 'THURSDAY' } }, 'At 00:00, Tuesday through Thursday'],
  [{ year: 2030 }, 'At 00:00, only in 2030'],
  [{ year: between(2027, 2030) }, 'At 00:00, 2027 through 2030'],
  [{ hour: '*' }, 'Every hour'],
  [{ second: '*', minute: '*', hour: '*', dayOfMonth: '*', month: '*', dayOfWeek: '*', year: '*' }, 'Every second'],
  [{ minute: [30], hour: [9] }, 'At 09:30'],
  [{ minute: [between(0, 5), 30], hour: 9 }, 'At 0 through 5 and 30 minutes past the hour, at 09:00'],
  [{ hour: between(9, 17) }, 'Every hour, between 09:00 and 17:00'],
  [{ hour: between(9, 17, 1) }, 'Every hour, between 09:00 and 17:00'],
  [{ hour: between(9, 17, 2) }, 'On the hour, every 2 hours, between 09:00 and 17:00'],
  [{ hour: between(0, 23, 2) }, 'On the hour, every 2 hours, between 00:00 and 23:00'],
  // The whole range of another field is a part of this one.
  [{ minute: between(0, 23), hour: 5 }, 'Every minute between 05:00 and 05:23'],
  [{ minute: between(1, 31), hour: '*' }, 'Minutes 1 through 31 past the hour'],
  [
    { second: between(0, 23), minute: 7, hour: '*' },
    'Seconds 0 through 23 past the minute, at 7 minutes past the hour',
  ],
  [{ hour: between(9, 17, 12) }, 'At 09:00'],
  [{ hour: between(0, 23, 24) }, 'At 00:00'],
  [{ hour: between(9, 9) }, 'At 09:00'],
  // The step of one value leads nowhere.
  [{ hour: between(9, 9, 2) }, 'At 09:00'],
  [{ hour: between(9, 0, 2) }, 'At 09:00'],
  [{ year: between(2027, 2027, 3) }, 'At 00:00, only in 2027'],
  [{ hour: between(0, 0) }, 'At 00:00'],
  // An end of 0 means none.
  [{ hour: between(9, 0) }, 'At 09:00'],
  // Temporal's SDK sends a missing end as 1, which is Monday.
  [{ hour: { start: 0 } as never }, 'Every hour, between 00:00 and 01:00'],
  [{ hour: { start: 1 } as never }, 'At 01:00'],
  [{ dayOfWeek: { start: 'SUNDAY' } as never }, 'At 00:00, Sunday through Monday'],
  [{ dayOfWeek: { start: 'MONDAY' } as never }, 'At 00:00, only on Monday'],
  [{ month: { start: 'JANUARY' } as never }, 'At 00:00, only in January'],
  [{ dayOfMonth: { start: 1 } as never }, 'At 00:00, on day 1 of the month'],
  [{ hour: 9, comment: 'office' }, 'At 09:00 (office)'],
  [{ hour: 9, comment: '' }, 'At 09:00'],
])('says of the calendar %j: %s', (calendar, words) => {
  expect(lines({ calendars: [calendar] })).toEqual([words]);
  expect(lines({ skip: [calendar] })).toEqual([`Except: ${words}`]);
});

it.each<[field: keyof CalendarSpec, whole: unknown]>([
  ['second', between(0, 59)],
  ['minute', between(0, 59)],
  ['hour', between(0, 23)],
  ['dayOfMonth', between(1, 31)],
  ['month', { start: 'JANUARY', end: 'DECEMBER' }],
  ['dayOfWeek', { start: 'SUNDAY', end: 'SATURDAY' }],
])('says the same of all values of the field %s and of its wildcard', (field, whole) => {
  const of = (value: unknown) => lines({ calendars: [{ minute: 7, hour: 7, [field]: value } as CalendarSpec] });
  expect(of(whole)).toEqual(of('*'));
  expect(of([whole])).toEqual(of('*'));
  expect(of({ ...(whole as object), step: 1 })).toEqual(of('*'));
  expect(of({ ...(whole as object), step: 2 })).not.toEqual(of('*'));
});

it.each<keyof CalendarSpec>(['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek', 'year'])(
  'says the same of a missing %s, of null and of undefined',
  (field) => {
    const of = (calendar: object) => lines({ calendars: [calendar as CalendarSpec] });
    expect(of({ [field]: null })).toEqual(of({}));
    expect(of({ [field]: undefined })).toEqual(of({}));
  },
);

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
