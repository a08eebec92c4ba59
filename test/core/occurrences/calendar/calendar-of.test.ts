import { describe, expect, it } from 'vitest';
import { calendarOf, range } from '../../../../core/occurrences/calendar/calendar-of';

/** A calendar of midnight of every day. */
const MIDNIGHT = {
  second: [0],
  minute: [0],
  hour: [0],
  dayOfMonth: range(1, 31),
  month: range(1, 12),
  dayOfWeek: range(0, 6),
};

/** The numbers of the bits that are set in some words. */
function bitsOf(...words: number[]): number[] {
  return words.flatMap((word, i) => range(0, 31).flatMap((bit) => ((word >>> bit) & 1 ? [i * 32 + bit] : [])));
}

describe('the sets of a calendar', () => {
  it.each([
    ['no value', []],
    ['the first value', [0]],
    ['the last value of the low word', [31]],
    ['the first value of the high word', [32]],
    ['the last value', [59]],
    ['values of both words', [0, 1, 30, 31, 32, 33, 58, 59]],
    ['all values', range(0, 59)],
  ])('have the seconds and the minutes as bits of two words: %s', (_, values) => {
    const calendar = calendarOf({ ...MIDNIGHT, second: values, minute: values });
    expect(bitsOf(calendar.secondsLow, calendar.secondsHigh)).toEqual(values);
    expect(bitsOf(calendar.minutesLow, calendar.minutesHigh)).toEqual(values);
  });

  it('have the hours and days of the week from 0 on, the days and months from 1 on', () => {
    const calendar = calendarOf({ ...MIDNIGHT, hour: [0, 23], dayOfWeek: [0, 6], dayOfMonth: [1, 31], month: [1, 12] });
    expect(bitsOf(calendar.hours)).toEqual([0, 23]);
    expect(bitsOf(calendar.weekdays)).toEqual([0, 6]);
    expect(bitsOf(calendar.days)).toEqual([0, 30]);
    expect(bitsOf(calendar.months)).toEqual([0, 11]);
  });

  it('have the years from 1970 to 2100', () => {
    const years = [1970, 1971, 2001, 2002, 2033, 2034, 2099, 2100];
    const calendar = calendarOf({ ...MIDNIGHT, year: years });
    expect(bitsOf(...calendar.years!).map((bit) => 1970 + bit)).toEqual(years);
    // 131 years are bits of five words.
    expect(calendar.years).toHaveLength(5);
    expect(bitsOf(...calendarOf({ ...MIDNIGHT, year: [] }).years!)).toEqual([]);
  });

  it('leave out what was not given: every year, and no special days', () => {
    expect(calendarOf(MIDNIGHT)).toMatchObject({
      years: undefined,
      lastDays: 0,
      nearDays: 0,
      nearLastDays: 0,
      lastWeekdays: 0,
      nthWeekdays: undefined,
      either: false,
      once: false,
    });
  });

  it('keep the special days and rules that were given', () => {
    const special = {
      lastDays: 0b1001,
      nearDays: 0b10,
      nearLastDays: 0b100,
      lastWeekdays: 0b100000,
      nthWeekdays: [0, 0b10],
      either: true,
      once: true,
    };
    expect(calendarOf({ ...MIDNIGHT, ...special })).toMatchObject(special);
  });
});

describe('a range of values', () => {
  it.each<[what: string, range: number[], values: number[]]>([
    ['has both its ends', range(3, 6), [3, 4, 5, 6]],
    ['may have one value', range(3, 3), [3]],
    ['is empty if it ends before it starts', range(4, 3), []],
    ['has every step-th value', range(0, 10, 5), [0, 5, 10]],
    ['may end at a step', range(1, 9, 4), [1, 5, 9]],
    ['may end just before a step', range(1, 8, 4), [1, 5]],
    ['may be shorter than its step', range(7, 9, 20), [7]],
  ])('%s', (_, given, values) => {
    expect(given).toEqual(values);
  });
});
