import { describe, expect, it } from 'vitest';
import { type CronContext, type CronField, readField } from '../../../../core/occurrences/cron/cron-field';
import {
  DAY_OF_MONTH,
  DAY_OF_WEEK,
  type Field,
  HOUR,
  MINUTE,
  MONTH,
  SECOND,
  YEAR,
} from '../../../../core/occurrences/fields';

const context: CronContext = { path: 'spec.cron', scheduleId: 'nightly' };
const read = (field: Field, text: string, more: Partial<CronContext> = {}) =>
  readField(field, text, { ...context, ...more });
const NO_DAYS = { values: [], lastDays: 0, nearDays: 0, nearLastDays: 0, lastWeekdays: 0, nthWeekdays: undefined };

describe('the values of a cron field', () => {
  it.each<[string, Field, string, number[]]>([
    ['one item', MINUTE, '5', [5]],
    ['a list, in its order', MINUTE, '30,5,10-12', [30, 5, 10, 11, 12]],
    ['a list with steps', MINUTE, '0-20/10,45/7,*/30', [0, 10, 20, 45, 52, 59, 0, 30]],
    ['leading zeros', MINUTE, '05,007', [5, 7]],
    ['Sunday as 7, which is 0', DAY_OF_WEEK, '7', [0]],
    ['a range to Sunday as 7', DAY_OF_WEEK, '5-7', [5, 6, 0]],
    ['a month as 7, which stays 7', MONTH, '7', [7]],
    ['an hour as 23', HOUR, '23', [23]],
    ['a wildcard as a question mark', DAY_OF_WEEK, '?', [0, 1, 2, 3, 4, 5, 6]],
  ])('are those of %s', (_, field, text, values) => {
    expect(read(field, text)).toMatchObject({ ...NO_DAYS, values });
  });

  it.each<[string, Field, string, number[]]>([
    ['days by three letters', DAY_OF_WEEK, 'SUN,MON,TUE,WED,THU,FRI,SAT', [0, 1, 2, 3, 4, 5, 6]],
    [
      'months by three letters',
      MONTH,
      'JAN,FEB,MAR,APR,MAY,JUN,JUL,AUG,SEP,OCT,NOV,DEC',
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
    ],
    ['whole days', DAY_OF_WEEK, 'SUNDAY,WEDNESDAY', [0, 3]],
    ['whole months', MONTH, 'MAY,SEPTEMBER', [5, 9]],
    ['months that end in L, which is no last weekday', MONTH, 'APRIL', [4]],
    ['more than three letters', MONTH, 'SEPT', [9]],
    ['small letters', DAY_OF_WEEK, 'mon,Tuesday', [1, 2]],
    ['ranges, also around the end of the week', DAY_OF_WEEK, 'FRI-MON', [5, 6, 0, 1]],
    ['a range of a name and a number', MONTH, 'NOV-12', [11, 12]],
    ['a range with a step', DAY_OF_WEEK, 'Monday-Friday/2', [1, 3, 5]],
  ])('may have names: %s', (_, field, text, values) => {
    expect(read(field, text)).toMatchObject({ ...NO_DAYS, values });
  });
});

describe('a range of years', () => {
  const year = (text: string, given?: boolean) => read(YEAR, text, { given }).values;
  it.each([
    ['2027-2027', [2027]],
    ['2027-2028', [2027, 2028]],
    ['2027', [2027]],
    ['2090/5', [2090, 2095, 2100]],
  ])('that does not end before it begins is read if it is given now: %s', (text, values) => {
    expect(year(text, true)).toEqual(values);
  });
  it('may be a wildcard if it is given now', () => {
    expect(year('*', true)).toHaveLength(131);
  });
  it('that ends before it begins is refused if it is given now, and goes round if it is stored', () => {
    expect(() => year('2030,2028-2027/2', true)).toThrow('spec.cron: year "2028-2027/2" ends before it begins');
    expect(year('2098-1971', false)).toEqual([2098, 2099, 2100, 1970, 1971]);
    expect(year('2098-1971')).toEqual([2098, 2099, 2100, 1970, 1971]);
  });
  it('is alone in this: other ranges go round also if they are given now', () => {
    expect(read(HOUR, '22-2', { given: true }).values).toEqual([22, 23, 0, 1, 2]);
  });
});

describe('days of the month with L or W', () => {
  it.each<[string, Partial<CronField>]>([
    ['L', { lastDays: 1 }],
    ['L-0', { lastDays: 1 }],
    ['L-3', { lastDays: 1 << 3 }],
    ['L-10', { lastDays: 1 << 10 }],
    ['L-30', { lastDays: 1 << 30 }],
    ['L,L-1', { lastDays: 0b11 }],
    ['L-1,L-1', { lastDays: 0b10 }],
    ['LW', { nearLastDays: 1 }],
    ['L-3W', { nearLastDays: 1 << 3 }],
    ['L-30W', { nearLastDays: 1 << 30 }],
    ['LW,L-1W', { nearLastDays: 0b11 }],
    ['LW,LW', { nearLastDays: 1 }],
    ['1W', { nearDays: 1 }],
    ['15W', { nearDays: 1 << 14 }],
    ['31W', { nearDays: 1 << 30 }],
    ['1W,2W', { nearDays: 0b11 }],
    ['1W,1W', { nearDays: 1 }],
    ['l,lw,l-3w,15w', { lastDays: 1, nearLastDays: 0b1001, nearDays: 1 << 14 }],
    ['1,L-2,15W,LW', { values: [1], lastDays: 0b100, nearDays: 1 << 14, nearLastDays: 1 }],
  ])('are kept apart from the numbers: %s', (text, days) => {
    expect(read(DAY_OF_MONTH, text)).toMatchObject({ ...NO_DAYS, ...days, restricted: true, cadence: false });
  });

  it.each(['L-31', 'L-31W', 'L-030', 'L-', 'L3', 'LL', 'XL', 'L-3X', 'LWW', 'W', '0W', '32W', '015W', 'X5W', '5WX'])(
    'are no others: %s',
    (text) => {
      expect(() => read(DAY_OF_MONTH, text)).toThrow(`day-of-month "${text}" is not allowed`);
    },
  );

  it.each<[string, Field]>([
    ['L', HOUR],
    ['15W', HOUR],
    ['L', DAY_OF_WEEK],
    ['5W', DAY_OF_WEEK],
    ['L-3', DAY_OF_WEEK],
  ])('are in no other field: %s', (text, field) => {
    expect(() => read(field, text)).toThrow(`${field.label} "${text}" is not allowed`);
  });
});

describe('weekdays of the month', () => {
  it.each<[string, number[]]>([
    ['5#2', [0, 1 << 5, 0, 0, 0]],
    ['0#1', [1, 0, 0, 0, 0]],
    ['7#5', [0, 0, 0, 0, 1]],
    ['6#5', [0, 0, 0, 0, 1 << 6]],
    ['1#1,5#1', [0b100010, 0, 0, 0, 0]],
    ['1#1,1#1', [0b10, 0, 0, 0, 0]],
    ['1#1,2#3', [0b10, 0, 0b100, 0, 0]],
    ['MON#1', [0b10, 0, 0, 0, 0]],
    ['friday#4', [0, 0, 0, 1 << 5, 0]],
  ])('are kept by their number: %s', (text, nthWeekdays) => {
    expect(read(DAY_OF_WEEK, text)).toMatchObject({ ...NO_DAYS, nthWeekdays, restricted: true, cadence: false });
  });

  it.each<[string, number]>([
    ['5L', 1 << 5],
    ['0L', 1],
    ['7L', 1],
    ['6L', 1 << 6],
    ['1L,5L', 0b100010],
    ['5L,5L', 1 << 5],
    ['FRIL', 1 << 5],
    ['friL', 1 << 5],
    ['FRIDAYL', 1 << 5],
  ])('are kept where they are the last: %s', (text, lastWeekdays) => {
    expect(read(DAY_OF_WEEK, text)).toMatchObject({ ...NO_DAYS, lastWeekdays, restricted: true, cadence: false });
  });

  it('may stand beside each other and beside plain days', () => {
    const field = read(DAY_OF_WEEK, '1,5L,2#3');
    expect(field).toMatchObject({ values: [1], lastWeekdays: 1 << 5, nthWeekdays: [0, 0, 0b100, 0, 0] });
  });

  it.each(['5#0', '5#6', '8#1', '5#22', '15#2', '5#', '#2', '5#L', '8L', '15L', '5L5', '1-5L', '1-5#2'])(
    'are no others: %s',
    (text) => {
      expect(() => read(DAY_OF_WEEK, text)).toThrow(`day-of-week "${text}" is not allowed`);
    },
  );

  it.each<[string, Field]>([
    ['5#2', DAY_OF_MONTH],
    ['5L', DAY_OF_MONTH],
    ['5#2', MONTH],
    ['5L', SECOND],
  ])('are in no other field: %s', (text, field) => {
    expect(() => read(field, text)).toThrow(`${field.label} "${text}" is not allowed`);
  });
});

describe('a cron field', () => {
  it.each(['*', '?', '*/1', '?/1', '*/01', '*/001'])('is not restricted: %s', (text) => {
    expect(read(DAY_OF_MONTH, text).restricted).toBe(false);
  });
  it.each(['1-31', '*/2', '?/2', '*/10', '*/11', '1/1', '*,1', '1,*', '*/1,2', 'H', 'L'])(
    'is restricted, if only in its form: %s',
    (text) => {
      expect(read(DAY_OF_MONTH, text).restricted).toBe(true);
    },
  );

  it.each<[string, Field, string]>([
    ['a wildcard', MINUTE, '*'],
    ['a question mark', HOUR, '?'],
    ['a step', MINUTE, '*/15'],
    ['a step of a number', MINUTE, '5/10'],
    ['a step of a range', MINUTE, '0-30/10'],
    ['a step of H', MINUTE, 'H/15'],
    ['a wildcard in a list', MINUTE, '5,*'],
    ['all values as a range', MINUTE, '0-59'],
    ['all values as two ranges', HOUR, '12-23,0-11'],
    ['all hours', HOUR, '0-23'],
    ['all days of the month', DAY_OF_MONTH, '1-31'],
    ['all months', MONTH, 'JAN-DEC'],
    ['all days of the week', DAY_OF_WEEK, '1-7'],
    ['all days of the week and Sunday again', DAY_OF_WEEK, '0-7'],
  ])('has a cadence: %s', (_, field, text) => {
    expect(read(field, text).cadence).toBe(true);
  });
  it.each<[string, Field, string]>([
    ['a value', MINUTE, '5'],
    ['a list', MINUTE, '0,30'],
    ['all values but one', MINUTE, '0-58'],
    ['all hours but one', HOUR, '1-23'],
    ['all days but one', DAY_OF_MONTH, '1-30'],
    ['all days of the week but one, and one twice', DAY_OF_WEEK, '0-5,0'],
    ['as many values as the field has, two of them twice', MONTH, '1-10,1,2'],
    ['H', MINUTE, 'H'],
    ['H in a range', MINUTE, 'H(0-29)'],
  ])('has no cadence: %s', (_, field, text) => {
    expect(read(field, text).cadence).toBe(false);
  });
});
