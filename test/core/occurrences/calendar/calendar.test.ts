import { describe, expect, it } from 'vitest';
import {
  type Calendar,
  dayMatches,
  localFrom,
  localUpTo,
  matches,
  monthDays,
} from '../../../../core/occurrences/calendar/calendar';
import { type CalendarValues, calendarOf, range } from '../../../../core/occurrences/calendar/calendar-of';
import { firstOfMonth } from '../../../../core/occurrences/civil';
import { stepsOf } from '../../../../core/occurrences/steps';
import { secondOf } from '../zones/clock';

const DAY = 86_400;
/** Noon of every day. */
const NOON: CalendarValues = {
  second: [0],
  minute: [0],
  hour: [12],
  dayOfMonth: range(1, 31),
  month: range(1, 12),
  dayOfWeek: range(0, 6),
};
const [SUN, MON, FRI, SAT] = [0, 1, 5, 6];

function calendarWith(values: Partial<CalendarValues>): Calendar {
  return calendarOf({ ...NOON, ...values });
}

/** The matching days of a month such as `2026-08`, as numbers. */
function daysOf(values: Partial<CalendarValues>, month: string): number[] {
  const [year, ofYear] = month.split('-').map(Number);
  const index = year! * 12 + ofYear! - 1;
  const days = monthDays(calendarWith(values), index, firstOfMonth(index));
  return range(1, 32).filter((day) => ((days >>> (day - 1)) & 1) === 1);
}

/** A local second such as `2026-08-01T12:00:00`. */
function local(time: string): number {
  return secondOf(`${time}Z`);
}

function shown(found: number): string {
  return Number.isNaN(found) ? 'none' : new Date(found * 1000).toISOString().slice(0, 19);
}

describe('the days of a month', () => {
  const last = (weekday: number) => ({ dayOfWeek: [], lastWeekdays: 1 << weekday });
  const nth = (weekday: number, n: number) => ({
    dayOfWeek: [],
    nthWeekdays: range(1, 5).map((i) => (i === n ? 1 << weekday : 0)),
  });
  const near = (day: number) => ({ dayOfMonth: [], nearDays: 1 << (day - 1) });
  const nearLast = (before: number) => ({ dayOfMonth: [], nearLastDays: 1 << before });
  const fromLast = (...before: number[]) => ({
    dayOfMonth: [],
    lastDays: before.reduce((days, day) => days | (1 << day), 0),
  });

  it.each<[what: string, values: Partial<CalendarValues>, month: string, days: number[]]>([
    ['every day of a long month', {}, '2026-08', range(1, 31)],
    ['every day of a short month', {}, '2026-04', range(1, 30)],
    ['every day of February', {}, '2026-02', range(1, 28)],
    ['every day of a February with a leap day', {}, '2028-02', range(1, 29)],
    ['every day of the last February, which has no leap day', {}, '2100-02', range(1, 28)],
    ['numbers', { dayOfMonth: [1, 15, 31] }, '2026-08', [1, 15, 31]],
    ['numbers that a short month has not', { dayOfMonth: [1, 30, 31] }, '2026-04', [1, 30]],
    ['a day of the week', { dayOfWeek: [FRI] }, '2026-02', [6, 13, 20, 27]],
    ['a day of the week that comes five times', { dayOfWeek: [FRI] }, '2026-05', [1, 8, 15, 22, 29]],
    ['both ends of the week', { dayOfWeek: [SUN, SAT] }, '2026-08', [1, 2, 8, 9, 15, 16, 22, 23, 29, 30]],
    ['a number that is that day of the week', { dayOfMonth: [13], dayOfWeek: [FRI] }, '2026-02', [13]],
    ['a number that is another day of the week', { dayOfMonth: [13], dayOfWeek: [FRI] }, '2026-04', []],
    ['either of them', { dayOfMonth: [13], dayOfWeek: [FRI], either: true }, '2026-04', [3, 10, 13, 17, 24]],
    [
      'either, in a month that lacks the number',
      { dayOfMonth: [31], dayOfWeek: [FRI], either: true },
      '2026-02',
      [6, 13, 20, 27],
    ],
    ['another month', { month: [7, 9] }, '2026-08', []],
    ['the month', { month: [8], dayOfMonth: [7] }, '2026-08', [7]],
    ['the first month', { month: [1], dayOfMonth: [7] }, '2026-01', [7]],
    ['the last month', { month: [12], dayOfMonth: [7] }, '2026-12', [7]],
    ['the year', { year: [2026], dayOfMonth: [7] }, '2026-08', [7]],
    ['another year', { year: [1970, 2025, 2027, 2100], dayOfMonth: [7] }, '2026-08', []],
    ['the first year', { year: [1970], dayOfMonth: [7] }, '1970-01', [7]],
    ['the last year', { year: [2100], dayOfMonth: [7] }, '2100-12', [7]],
    ['no year, in 1969', { year: range(1970, 2100) }, '1969-12', []],
    ['every year, in 1969', { dayOfMonth: [31] }, '1969-12', [31]],
    ['the last day (L)', fromLast(0), '2026-08', [31]],
    ['the last day of February (L)', fromLast(0), '2028-02', [29]],
    ['the third day before the last (L-3)', fromLast(3), '2026-02', [25]],
    ['several days before the last (L, L-3, L-27)', fromLast(0, 3, 27), '2026-02', [1, 25, 28]],
    ['the 30th day before the last (L-30)', fromLast(30), '2026-08', [1]],
    ['the 30th day before the last, in a month of 30 days', fromLast(30), '2026-04', []],
    ['a last day and numbers', { ...fromLast(0), dayOfMonth: [5] }, '2026-04', [5, 30]],
    ['the last weekday (LW), a Tuesday', nearLast(0), '2026-06', [30]],
    ['the last weekday before a Saturday', nearLast(0), '2026-02', [27]],
    ['the last weekday before a Sunday', nearLast(0), '2026-05', [29]],
    ['the weekday nearest to the third day before the last (L-3W), a Saturday', nearLast(3), '2026-03', [27]],
    ['the weekday nearest to the 30th day before the last, in a month of 30 days', nearLast(30), '2026-04', []],
    ['the weekday nearest to a weekday', near(14), '2026-08', [14]],
    ['the weekday nearest to a Saturday', near(15), '2026-08', [14]],
    ['the weekday nearest to a Sunday', near(16), '2026-08', [17]],
    ['the weekday nearest to a first that is a Saturday', near(1), '2026-08', [3]],
    ['the weekday nearest to a first that is a Sunday', near(1), '2026-02', [2]],
    ['the weekday nearest to a second that is a Sunday', near(2), '2026-08', [3]],
    ['the weekday nearest to a last day that is a Sunday', near(31), '2026-05', [29]],
    ['the weekday nearest to a last day that is a Saturday', near(31), '2026-10', [30]],
    ['the weekday nearest to a day that the month has not', near(31), '2026-04', []],
    ['the weekday nearest to a day that the month has not, a Saturday', near(31), '2027-04', []],
    ['the weekday nearest to a day that the month has not, a Sunday', near(29), '2026-02', []],
    ['the last Friday (5L)', last(FRI), '2026-02', [27]],
    ['the last Saturday, which is the last day', last(SAT), '2026-02', [28]],
    ['the last Sunday, six days before the end', last(SUN), '2026-02', [22]],
    ['the last Friday of a month with five', last(FRI), '2026-05', [29]],
    ['the first Saturday (6#1), which is the first day', nth(SAT, 1), '2026-08', [1]],
    ['the first Friday, which is the seventh day', nth(FRI, 1), '2026-08', [7]],
    ['the second Saturday, a week later', nth(SAT, 2), '2026-08', [8]],
    ['the third Monday', nth(MON, 3), '2026-08', [17]],
    ['the fourth Friday, which is the 28th day', nth(FRI, 4), '2026-08', [28]],
    ['the fifth Sunday', nth(SUN, 5), '2026-08', [30]],
    ['the fifth Friday, in a month with four', nth(FRI, 5), '2026-08', []],
    ['a day of the week and a last one', { ...last(SUN), dayOfWeek: [FRI] }, '2026-02', [6, 13, 20, 22, 27]],
  ])('are those that match: %s', (_, values, month, days) => {
    expect(daysOf(values, month)).toEqual(days);
  });

  it('are those that a naive walk finds, in every month of 28 years and of the last ones', () => {
    const values = {
      dayOfMonth: [1, 14, 29, 31],
      lastDays: 0b1001,
      nearDays: 1 | (1 << 14) | (1 << 30),
      nearLastDays: 1,
      dayOfWeek: [MON],
      lastWeekdays: 1 << FRI,
      nthWeekdays: [1 << SUN, 0, 1 << SAT, 0, 1 << FRI],
    };
    const wrong: string[] = [];
    for (const year of [1970, ...range(2000, 2027), ...range(2096, 2100)]) {
      for (const month of range(1, 12)) {
        const length = new Date(Date.UTC(year, month, 0)).getUTCDate();
        const ofWeek = (day: number) => new Date(Date.UTC(year, month - 1, day)).getUTCDay();
        const isWorkday = (day: number) => day >= 1 && day <= length && ofWeek(day) !== SUN && ofWeek(day) !== SAT;
        const nearest = (day: number) =>
          day > length ? 0 : [0, -1, 1, -2, 2].map((away) => day + away).find(isWorkday);
        const byDate = [...values.dayOfMonth, length, length - 3, ...[1, 15, 31, length].map(nearest)];
        const byWeek = range(1, length).filter(
          (day) =>
            ofWeek(day) === MON ||
            (ofWeek(day) === FRI && (day > length - 7 || day > 28)) ||
            (ofWeek(day) === SUN && day <= 7) ||
            (ofWeek(day) === SAT && day > 14 && day <= 21),
        );
        const name = `${year}-${month}`;
        const days = range(1, length);
        const both = days.filter((day) => byDate.includes(day) && byWeek.includes(day));
        const either = days.filter((day) => byDate.includes(day) || byWeek.includes(day));
        if (String(daysOf(values, name)) !== String(both)) wrong.push(name);
        if (String(daysOf({ ...values, either: true }, name)) !== String(either)) wrong.push(`${name}, either`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('the local times of a calendar', () => {
  const christmas = { month: [12], dayOfMonth: [25] };
  const twice = { hour: [9, 17], dayOfMonth: [10, 20] };
  const leapDay = { month: [2], dayOfMonth: [29] };

  it.each<[what: string, values: Partial<CalendarValues>, from: string, next: string, previous: string]>([
    ['in another month', christmas, '2026-08-01T00:00:00', '2026-12-25T12:00:00', '2025-12-25T12:00:00'],
    ['a second before one', christmas, '2026-12-25T11:59:59', '2026-12-25T12:00:00', '2025-12-25T12:00:00'],
    ['at one', christmas, '2026-12-25T12:00:00', '2026-12-25T12:00:00', '2026-12-25T12:00:00'],
    ['a second after one', christmas, '2026-12-25T12:00:01', '2027-12-25T12:00:00', '2026-12-25T12:00:00'],
    ['between two times of a day', twice, '2026-08-10T12:00:00', '2026-08-10T17:00:00', '2026-08-10T09:00:00'],
    ['after the times of a day', twice, '2026-08-10T18:00:00', '2026-08-20T09:00:00', '2026-08-10T17:00:00'],
    ['before the times of a day', twice, '2026-08-20T08:00:00', '2026-08-20T09:00:00', '2026-08-10T17:00:00'],
    ['after the days of a month', twice, '2026-08-31T23:59:59', '2026-09-10T09:00:00', '2026-08-20T17:00:00'],
    ['before the days of a month', twice, '2026-08-01T00:00:00', '2026-08-10T09:00:00', '2026-07-20T17:00:00'],
    ['at the last second of a month', {}, '2026-08-31T23:59:59', '2026-09-01T12:00:00', '2026-08-31T12:00:00'],
    ['at the first second of a month', {}, '2026-08-01T00:00:00', '2026-08-01T12:00:00', '2026-07-31T12:00:00'],
    ['over years without any', leapDay, '2026-08-01T00:00:00', '2028-02-29T12:00:00', '2024-02-29T12:00:00'],
    ['before the first leap day', leapDay, '1972-02-29T11:59:59', '1972-02-29T12:00:00', 'none'],
    ['after the last leap day', leapDay, '2096-02-29T12:00:01', 'none', '2096-02-29T12:00:00'],
    ['where no month matches', { month: [] }, '2026-08-01T00:00:00', 'none', 'none'],
    ['where no time matches', { hour: [] }, '2026-08-01T00:00:00', 'none', 'none'],
    ['long before December 1969', {}, '1900-01-20T18:00:00', '1969-12-01T12:00:00', 'none'],
    ['in November 1969', {}, '1969-11-30T23:59:59', '1969-12-01T12:00:00', 'none'],
    ['before the first time of all', {}, '1969-12-01T11:59:59', '1969-12-01T12:00:00', 'none'],
    ['at the first time of all', {}, '1969-12-01T12:00:00', '1969-12-01T12:00:00', '1969-12-01T12:00:00'],
    ['in the midst of December 1969', {}, '1969-12-20T18:00:00', '1969-12-21T12:00:00', '1969-12-20T12:00:00'],
    ['in January 1970', christmas, '1970-01-20T00:00:00', '1970-12-25T12:00:00', '1969-12-25T12:00:00'],
    ['in the midst of December 2100', {}, '2100-12-10T18:00:00', '2100-12-11T12:00:00', '2100-12-10T12:00:00'],
    ['at the last time of all', {}, '2100-12-31T12:00:00', '2100-12-31T12:00:00', '2100-12-31T12:00:00'],
    ['after the last time of all', {}, '2100-12-31T12:00:01', 'none', '2100-12-31T12:00:00'],
    ['in January 2101', {}, '2101-01-20T18:00:00', 'none', '2100-12-31T12:00:00'],
    ['long after the year 2100', {}, '2200-05-10T18:00:00', 'none', '2100-12-31T12:00:00'],
  ])('are searched from a time on, and back from it: %s', (_, values, from, next, previous) => {
    const calendar = calendarWith(values);
    expect(shown(localFrom(calendar, local(from)))).toBe(next);
    expect(shown(localUpTo(calendar, local(from)))).toBe(previous);
    expect(matches(calendar, local(from))).toBe(from === next);
  });

  it.each([
    ['the last day of November 1969', '1969-11-30', false],
    ['the first day of December 1969', '1969-12-01', true],
    ['the last day of 1969', '1969-12-31', true],
    ['a day in the midst of a month', '2026-08-15', true],
    ['the first day of December 2100', '2100-12-01', true],
    ['the last day of 2100', '2100-12-31', true],
    ['the first day of 2101', '2101-01-01', false],
  ])('are on days from December 1969 to the end of 2100: %s', (_, date, isDay) => {
    expect(dayMatches(calendarWith({}), local(`${date}T00:00:00`) / DAY)).toBe(isDay);
    expect(matches(calendarWith({}), local(`${date}T12:00:00`))).toBe(isDay);
    expect(matches(calendarWith({}), local(`${date}T12:00:01`))).toBe(false);
  });

  it('match on their days alone', () => {
    const days = range(1, 31).filter((day) =>
      dayMatches(calendarWith(twice), local(`2026-08-${String(day).padStart(2, '0')}T00:00:00`) / DAY),
    );
    expect(days).toEqual([10, 20]);
  });

  it('cost three steps for each month that is searched, and eight for the search', () => {
    const calendar = calendarWith(leapDay);
    const from = local('2026-01-15T00:00:00');
    expect(stepsOf(() => localFrom(calendarWith({}), from))).toBe(8 + 3);
    expect(stepsOf(() => localUpTo(calendarWith({}), from))).toBe(8 + 3);
    // From January 2026 to February 2028, and back to February 2024.
    expect(stepsOf(() => localFrom(calendar, from))).toBe(8 + 26 * 3);
    expect(stepsOf(() => localUpTo(calendar, from))).toBe(8 + 24 * 3);
  });
});
