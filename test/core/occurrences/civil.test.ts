import { describe, expect, it } from 'vitest';
import {
  dayNumber,
  daysInMonth,
  FIRST_SECOND,
  firstOfMonth,
  LAST_SECOND,
  monthIndex,
  SECONDS_PER_DAY,
  weekday,
} from '../../../core/occurrences/civil';

const dayOf = (date: string) => Date.parse(`${date}T00:00:00Z`) / 86_400_000;

/** The calendar repeats after 400 years. These days hold one such span, and all years that have occurrences. */
const [FIRST_DAY, LAST_DAY] = [dayOf('1599-12-31'), dayOf('2101-01-01')];

describe('the range of occurrences', () => {
  it('begins with 1970 and ends with the last second of 2100, in UTC', () => {
    expect(new Date(FIRST_SECOND * 1000).toISOString()).toBe('1970-01-01T00:00:00.000Z');
    expect(new Date(LAST_SECOND * 1000).toISOString()).toBe('2100-12-31T23:59:59.000Z');
    expect(SECONDS_PER_DAY).toBe(24 * 60 * 60);
  });
});

describe('the length of a month', () => {
  it('is the known one in a common year', () => {
    const lengths = Array.from({ length: 12 }, (_, index) => daysInMonth(2026, index + 1));
    expect(lengths).toEqual([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);
  });

  it.each([
    [2023, 28, 'a common year'],
    [2024, 29, 'every fourth year'],
    [1900, 28, 'a century'],
    [2100, 28, 'a century, the last year of occurrences'],
    [2000, 29, 'every fourth century'],
  ])('in February of %i is %i: %s', (year, length) => {
    expect(daysInMonth(year, 2)).toBe(length);
  });

  it('is the same in a leap year for all other months', () => {
    for (const month of [1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]) {
      expect([month, daysInMonth(2024, month)]).toEqual([month, daysInMonth(2023, month)]);
    }
  });
});

describe('the number of a day', () => {
  it.each([
    [[1970, 1, 1], 0],
    [[1970, 1, 2], 1],
    [[1969, 12, 31], -1],
    [[1970, 2, 28], 58],
    [[1970, 3, 1], 59],
    [[1972, 2, 29], 789],
    [[1972, 3, 1], 790],
    [[2000, 3, 1], 11_017],
  ] as const)('of %j is %i', ([year, month, day], number) => {
    expect(dayNumber(year, month, day)).toBe(number);
  });

  it('is the one of Date for each day of five centuries', () => {
    const wrong: string[] = [];
    for (let day = FIRST_DAY; day <= LAST_DAY; day++) {
      const date = new Date(day * 86_400_000);
      const number = dayNumber(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate());
      if (number !== day) wrong.push(date.toISOString());
    }
    expect(wrong).toEqual([]);
  });
});

describe('the month of a day', () => {
  it.each([
    ['1970-01-01', 1970 * 12],
    ['1969-12-31', 1970 * 12 - 1],
    ['2024-02-29', 2024 * 12 + 1],
    ['2024-03-01', 2024 * 12 + 2],
    ['2100-12-31', 2100 * 12 + 11],
  ])('%s has the index %i', (date, index) => {
    expect(monthIndex(dayOf(date))).toBe(index);
  });

  it('is the one of Date for each day of five centuries, and begins on its first', () => {
    const wrong: string[] = [];
    for (let day = FIRST_DAY; day <= LAST_DAY; day++) {
      const date = new Date(day * 86_400_000);
      const index = monthIndex(day);
      const isRight = index === date.getUTCFullYear() * 12 + date.getUTCMonth();
      if (!isRight || firstOfMonth(index) !== day - date.getUTCDate() + 1) wrong.push(date.toISOString());
    }
    expect(wrong).toEqual([]);
  });
});

it.each([
  ['1970-01-01', 'Thursday'],
  ['1970-01-03', 'Saturday'],
  ['1970-01-04', 'Sunday'],
  ['1969-12-31', 'Wednesday'],
  ['1969-12-28', 'Sunday'],
  ['1969-12-27', 'Saturday'],
  ['1969-12-21', 'Sunday'],
  ['2026-03-29', 'Sunday'],
  ['2100-12-31', 'Friday'],
])('%s is a %s', (date, name) => {
  const names = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
  expect(names[weekday(dayOf(date))]).toBe(name);
});
