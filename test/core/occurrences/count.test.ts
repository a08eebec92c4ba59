import { describe, expect, it } from 'vitest';
import { compileSpec } from '../../../core/occurrences';
import { CalendarGroup } from '../../../core/occurrences/calendar/calendar-group';
import { LAST_SECOND } from '../../../core/occurrences/civil';
import { ownCalendars } from '../../../core/occurrences/compile';
import { Counter } from '../../../core/occurrences/count';
import { stepsOf } from '../../../core/occurrences/steps';
import { Zone } from '../../../core/occurrences/zones/zone';
import type { ScheduleSpec } from '../../../core/schedule/spec';
import { range } from '../minutes';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const msOf = (time: string) => Date.parse(time.length > 10 ? `${time}Z` : `${time}T00:00Z`);

/** How many occurrences lie from one instant to another one, which is excluded. */
const countOf = (spec: ScheduleSpec, from: string, to: string) => compileSpec(spec).count(msOf(from) - 1, msOf(to) - 1);

describe('the number of occurrences', () => {
  it.each<[count: number, what: string, spec: ScheduleSpec, from: string, to: string]>([
    [0, 'nothing', {}, '2026-01-01', '2027-01-01'],
    [7, 'the 31st of the months of a year', { cron: '0 9 31 * *' }, '2026-01-01', '2027-01-01'],
    [12, 'the last days of the months of a leap year', { cron: '0 9 L * *' }, '2028-01-01', '2029-01-01'],
    [1, 'the last second of a month', { cron: '59 59 23 L * *' }, '2028-02-29T23:59:59', '2028-03-01'],
    [0, 'a month but its last second', { cron: '59 59 23 L * *' }, '2028-02-01', '2028-02-29T23:59:59'],
    [29, 'the midnights of a leap February', { cron: '0 0 * * *' }, '2028-02-01', '2028-03-01'],
    [22, 'the working days of a month', { cron: '0 9 * * 1-5' }, '2026-01-01', '2026-02-01'],
    [21, 'a month without the first of its days', { cron: '0 9 * * 1-5' }, '2026-01-01T09:01', '2026-02-01'],
    [2, 'two days around the end of a year', { cron: '0 9 * * *' }, '2026-12-31', '2027-01-02'],
    [1, 'parts of two days', { cron: '0 9 * * *' }, '2026-12-31T09:00:01', '2027-01-01T12:00'],
    [3, 'a part of a day', { cron: '0 9-12 * * *' }, '2026-05-05T10:00', '2026-05-05T12:30'],
    [5, 'parts of days around a whole one', { cron: '0 8,20 * * *' }, '2026-05-05T09:00', '2026-05-07T21:00'],
    [4, 'whole days', { cron: '0 8,20 * * *' }, '2026-05-05', '2026-05-07'],
    // May 2026 has nine Thursdays and Fridays. The 1st is a Friday, and the 20th a Wednesday.
    [10, 'days that either field matches', { cron: '0 0 1,20 * 5,4' }, '2026-05-01', '2026-06-01'],
    [
      10,
      'days that either of two expressions matches',
      { cron: ['0 0 1,20 * *', '0 0 * * 4,5'] },
      '2026-05-01',
      '2026-06-01',
    ],
  ])('is %i: %s', (count, _, spec, from, to) => {
    expect(countOf(spec, from, to)).toBe(count);
  });

  const everySecond = { second: '*', minute: '*', hour: '*' } as const;
  const third = { hour: 3, minute: '*' } as const;
  it.each<[count: number, what: string, spec: ScheduleSpec]>([
    [24, 'an interval', { intervals: [{ every: '1h' }] }],
    [8, 'intervals with times in common', { intervals: [{ every: '4h' }, { every: '6h' }] }],
    [
      8,
      'intervals and a calendar that has a time of both',
      { cron: '0 12 * * *', intervals: [{ every: '4h' }, { every: '6h' }] },
    ],
    [24, 'an interval and half of its times', { cron: '0 */2 * * *', intervals: [{ every: '1h' }] }],
    [48, 'an interval and times between', { cron: '30 * * * *', intervals: [{ every: '1h' }] }],
    [1440 + 960 - 480, 'a short interval and some of its times', { cron: '* * * * *', intervals: [{ every: '90s' }] }],
    [24, 'a long interval of whole hours, and each hour', { cron: '0 * * * *', intervals: [{ every: '5h' }] }],
    [
      24 + 5,
      'a long interval of half hours, and each hour',
      { cron: '0 * * * *', intervals: [{ every: '5h', offset: '30m' }] },
    ],
    [86_400, 'each second twice', { cron: '* * * * * *', intervals: [{ every: '1s' }] }],
    [0, 'each second, all skipped', { cron: '* * * * * *', intervals: [{ every: '7s' }], skip: [everySecond] }],
    [92, 'quarters without an hour', { intervals: [{ every: '15m' }], skip: [third] }],
    [95, 'quarters without the begin of an hour', { intervals: [{ every: '15m' }], skip: [{ hour: 3 }] }],
    [
      46,
      'a calendar and an interval without an hour',
      { cron: '*/30 * * * *', intervals: [{ every: '1h' }], skip: [third] },
    ],
    [48, 'a day without what is skipped on another one', { cron: '*/30 * * * *', skip: [{ ...third, dayOfMonth: 4 }] }],
    [23, 'a day without two skips of one time', { cron: '0 * * * *', skip: [third, { hour: 3 }] }],
    [
      23,
      'a day without what one of two skips has',
      { cron: '0 * * * *', skip: [{ hour: 3 }, { hour: 5, dayOfMonth: 4 }] },
    ],
    [
      16,
      'two intervals and a calendar that share times, one of them skipped',
      { cron: '0 1-3 * * *', intervals: [{ every: '2h' }, { every: '3h' }], skip: [{ hour: 12 }] },
    ],
    [1, 'a single instant', { at: new Date(msOf('2026-05-05T03:00')) }],
    [2, 'two single instants', { at: [new Date(msOf('2026-05-05T03:00')), new Date(msOf('2026-05-05T23:59:59'))] }],
    [0, 'a single instant that is skipped', { at: new Date(msOf('2026-05-05T03:00')), skip: [third] }],
    [0, 'a single instant of the day after', { at: new Date(msOf('2026-05-06')) }],
    [1, 'a single instant at the begin', { at: new Date(msOf('2026-05-05')) }],
    [24, 'a single instant that a calendar has', { at: new Date(msOf('2026-05-05T03:00')), cron: '0 * * * *' }],
    [
      24,
      'a single instant that an interval has',
      { at: new Date(msOf('2026-05-05T03:00')), intervals: [{ every: '1h' }] },
    ],
    [
      25,
      'a single instant that nothing else has',
      { at: new Date(msOf('2026-05-05T03:01')), intervals: [{ every: '1h' }] },
    ],
  ])('in a day is %i: %s', (count, _, spec) => {
    expect(countOf(spec, '2026-05-05', '2026-05-06')).toBe(count);
    // The days beside it, which are counted in another way, change nothing.
    const compiled = compileSpec(spec);
    const [before, after] = [countOf(spec, '2026-05-02', '2026-05-05'), countOf(spec, '2026-05-06', '2026-05-08')];
    expect(compiled.count(msOf('2026-05-02') - 1, msOf('2026-05-08') - 1)).toBe(before + count + after);
    // A day is the sum of its parts.
    const parts = [
      '2026-05-05T00:00',
      '2026-05-05T03:00',
      '2026-05-05T12:00:01',
      '2026-05-05T23:59:59',
      '2026-05-06T00:00',
    ];
    const sum = parts.slice(1).reduce((total, to, index) => total + countOf(spec, parts[index]!, to), 0);
    expect(sum).toBe(count);
  });

  it('compares intervals with the clock of the zone', () => {
    const kathmandu = (cron: string) => ({ cron, intervals: [{ every: '1h' as const }], timezone: 'Asia/Kathmandu' });
    expect(countOf(kathmandu('45 * * * *'), '2026-05-05', '2026-05-06')).toBe(24);
    expect(countOf(kathmandu('0 * * * *'), '2026-05-05', '2026-05-06')).toBe(48);
    expect(countOf(kathmandu('45 * * * *'), '2026-05-05T12:00', '2026-05-05T18:00')).toBe(6);
    expect(countOf(kathmandu('45 * * * *'), '2026-05-01', '2026-05-11')).toBe(240);
    expect(countOf(kathmandu('0 * * * *'), '2026-05-01', '2026-05-11')).toBe(480);
  });

  it('of a single instant that a Temporal calendar has is one, also in a zone whose clock changes', () => {
    const spec = { cronExpressions: ['0 9 * * *'], at: new Date(msOf('2026-05-05T07:00')), timezone: 'Europe/Berlin' };
    expect(countOf(spec, '2026-05-05', '2026-05-06')).toBe(1);
  });

  it('tells the expressions of a long list apart', () => {
    // The first fifty lie on one day. Each of the others has a day of its own, the later the more times.
    const first = range(0, 49).map((minute) => `${minute} 5 1 * *`);
    const others = range(1, 10).map((times) => `0-${times - 1} 5 ${1 + times} * *`);
    const spec = { cron: [...first, ...others] };
    expect(countOf(spec, '2026-05-01', '2026-05-02')).toBe(50);
    for (const times of range(1, 10)) {
      const day = (number: number) => `2026-05-${String(number).padStart(2, '0')}`;
      expect(countOf(spec, day(1 + times), day(2 + times))).toBe(times);
    }
    expect(countOf(spec, '2026-05-01', '2026-06-01')).toBe(50 + 55);
    const together = { cron: [...spec.cron, '30 6 1-11 * *'] };
    expect(countOf(together, '2026-05-01', '2026-06-01')).toBe(50 + 55 + 11);
  });

  it('of more days of different times than are remembered is the same each time', () => {
    const compiled = compileSpec({ cron: range(0, 99).map((n) => `0-${n % 50} 5 ${1 + (n % 25)} ${1 + (n % 4)} *`) });
    const count = () => compiled.count(msOf('2026-01-01'), msOf('2027-01-01'));
    expect(count()).toBe(2 * range(1, 50).reduce((sum, times) => sum + times, 0));
    expect(count()).toBe(count());
  });
});

describe('where the clock goes forward over 02:00 to 02:59, at 01:00 UTC', () => {
  const of = (spec: ScheduleSpec, from = '2026-03-28T23:00', to = '2026-03-29T22:00') =>
    countOf({ timezone: 'Europe/Berlin', ...spec }, from, to);
  const missing = { cron: '30 2 * * *' };

  it.each<[count: number, what: string, spec: ScheduleSpec]>([
    [1, 'a missing time', missing],
    [0, 'a missing time of another day', { cron: '30 2 30 3 *' }],
    [1, 'many missing times', { cron: ['0,30 2 * * *', '59 2 * * *', '30 2 29 3 *'] }],
    [0, 'a missing time by LITERAL', { ...missing, dst: 'LITERAL' }],
    [0, 'a missing time of a cadence', { cron: '*/30 2 * * *' }],
    [1, 'a missing time of a cadence, and a fixed time of the day', { cron: ['*/30 2 * * *', '0 5 * * *'] }],
    [1, 'a missing time, and the first time after it', { cron: ['30 2 * * *', '0 3 * * *'] }],
    [2, 'a missing time, and a later one', { cron: ['30 2 * * *', '1 3 * * *'] }],
    [2, 'a missing time, and the last one before it', { cron: ['30 2 * * *', '59 59 1 * * *'] }],
    [1, 'a missing time, and the first time after it by Temporal', { ...missing, cronExpressions: ['0 3 * * *'] }],
    [23, 'a missing time, and an interval that has the instant', { ...missing, intervals: [{ every: '1h' }] }],
    [
      46,
      'a missing time, and two intervals, one of which has the instant',
      { ...missing, intervals: [{ every: '1h' }, { every: '1h', offset: '30m' }] },
    ],
    [24, 'a missing time, and another interval', { ...missing, intervals: [{ every: '1h', offset: '30m' }] }],
    [1, 'a missing time, and the same single instant', { ...missing, at: new Date(msOf('2026-03-29T01:00')) }],
    [0, 'a missing time, and a skip of what the clock shows then', { ...missing, skip: [{ hour: 3 }] }],
    [1, 'a missing time, and a skip of the missing time', { ...missing, skip: [{ hour: 2, minute: 30 }] }],
  ])('there is %i: %s', (count, _, spec) => {
    expect(of(spec)).toBe(count);
  });

  it.each([
    ['2026-03-29T01:00', '2026-03-29T01:00:01', 1],
    ['2026-03-29T01:00', '2026-03-29T01:00', 0],
    ['2026-03-29T01:00:01', '2026-03-29T22:00', 0],
    ['2026-03-28T23:00', '2026-03-29T01:00', 0],
  ])('a missing time counts at the change itself: from %s to %s there is %i', (from, to, count) => {
    expect(of(missing, from, to)).toBe(count);
  });
});

describe('where the clock goes back from 03:00 to 02:00, at 01:00 UTC', () => {
  const of = (spec: ScheduleSpec, from = '2026-10-24T22:00', to = '2026-10-25T23:00') =>
    countOf({ timezone: 'Europe/Berlin', ...spec }, from, to);
  const repeated = { cron: '30 2 * * *' };

  it.each<[count: number, what: string, spec: ScheduleSpec]>([
    [1, 'a repeated time', repeated],
    [2, 'a repeated time by LITERAL', { ...repeated, dst: 'LITERAL' }],
    [25, 'each hour', { cron: '0 * * * *' }],
    [26, 'each hour, and a repeated time between', { cron: ['0 * * * *', '30 2 * * *'] }],
    [25, 'each hour, and one of them as a fixed time', { cron: ['0 * * * *', '0 2 * * *'] }],
    [26, 'a repeated time, and an interval', { ...repeated, intervals: [{ every: '1h' }] }],
    [50, 'a repeated time that an interval has', { ...repeated, intervals: [{ every: '30m' }] }],
    [0, 'a repeated time that is skipped', { ...repeated, skip: [{ hour: 2, minute: 30 }] }],
    [1, 'two repeated times, one of them skipped', { cron: '30,45 2 * * *', skip: [{ hour: 2, minute: 30 }] }],
    [23, 'an interval without the repeated hour', { intervals: [{ every: '1h' }], skip: [{ hour: 2, minute: '*' }] }],
  ])('there is %i: %s', (count, _, spec) => {
    expect(of(spec)).toBe(count);
  });

  it.each([
    ['2026-10-25T00:30', '2026-10-25T01:00', 1, 1],
    ['2026-10-25T01:00', '2026-10-25T23:00', 0, 1],
    ['2026-10-25T00:30:01', '2026-10-25T01:30', 0, 0],
    ['2026-10-25T01:15', '2026-10-25T01:45', 0, 1],
    ['2026-10-25T01:30:01', '2026-10-25T23:00', 0, 0],
  ])('from %s to %s a repeated time counts %i, and %i by LITERAL', (from, to, once, literally) => {
    expect(of(repeated, from, to)).toBe(once);
    expect(of({ ...repeated, dst: 'LITERAL' }, from, to)).toBe(literally);
    // A second part, which has no times then, changes nothing.
    const other = '0 0 1 1 *';
    expect(of({ cron: [repeated.cron, other] }, from, to)).toBe(once);
    expect(of({ cron: [repeated.cron, other], dst: 'LITERAL' }, from, to)).toBe(literally);
  });
});

it.each([
  ['once', 'ONCE', 1],
  ['twice', 'LITERAL', 2],
] as const)('a time of a day that comes twice as a whole counts %s by %s', (_, dst, count) => {
  const change = msOf('2026-05-05T12:00') / 1000;
  for (const cron of [['30 9 5 * *'], ['30 9 5 * *', '0 0 1 1 *']]) {
    const zone = new Zone('Test/Twice', (second) => (second < change ? 12 : -12) * 3600);
    const calendars = ownCalendars({ cron, dst }, 'nightly');
    const counter = new Counter({
      zone,
      calendars,
      own: new CalendarGroup(calendars, zone),
      server: undefined,
      skip: [],
      intervals: [],
      instants: [],
      first: 0,
      last: LAST_SECOND,
    });
    expect(counter.count(change - (3 * DAY) / 1000, change + (3 * DAY) / 1000)).toBe(count);
  }
});

describe('a step of a count', () => {
  const forty = compileSpec({ cron: range(0, 39).map((minute) => `${minute} 5 * * *`) });
  const year = 365.25 * DAY;

  it('is spent on each expression in each month, so that a long list over a long time is refused', () => {
    const of = (years: number) => stepsOf(() => forty.count(0, years * year));
    const perMonth = (of(100) - of(50)) / (50 * 12);
    expect(perMonth).toBeGreaterThan(6 * 40);
    expect(perMonth).toBeLessThan(7 * 40);
  });

  it('is spent on each expression in a part of a day', () => {
    const part = () => forty.count(5.5 * HOUR - 1, 5.6 * HOUR);
    expect(part()).toBe(7);
    expect(stepsOf(part)).toBeGreaterThan(6 * 40);
    expect(stepsOf(part)).toBeLessThan(7 * 40);
  });

  it('is spent on an interval once, however long the time is', () => {
    const interval = compileSpec({ intervals: [{ every: '7s' }] });
    expect(stepsOf(() => interval.count(0, 100 * year))).toBeLessThan(10);
  });
});
