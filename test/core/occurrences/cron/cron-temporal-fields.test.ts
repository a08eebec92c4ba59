import { describe, expect, it } from 'vitest';
import { readTemporalCron } from '../../../../core/occurrences/cron/cron-temporal';
import { type CalendarRanges, type FieldRange, only } from '../../../../core/occurrences/ranges';
import { refusalBy } from '../../../support/refusal';

const KEYS = ['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek', 'year'] as const;
const to = (start: number, end: number, step = 1): FieldRange => ({ start, end, step });

/** An expression that has `text` in one field. */
const withField = (key: keyof CalendarRanges, text: string) =>
  KEYS.map((other) => (other === key ? text : '*')).join(' ');
const read = (key: keyof CalendarRanges, text: string) =>
  readTemporalCron(withField(key, text), 'spec.cronExpressions').calendar?.[key];
const refusal = (key: keyof CalendarRanges, text: string) =>
  refusalBy(() => readTemporalCron(withField(key, text), 'spec.cronExpressions')).message;

const BOUNDS = [
  ['second', 'second', 0, 59],
  ['minute', 'minute', 0, 59],
  ['hour', 'hour', 0, 23],
  ['dayOfMonth', 'day-of-month', 1, 31],
  ['month', 'month', 1, 12],
  ['year', 'year', 2000, 2100],
] as const;

describe("a field in Temporal's dialect", () => {
  it.each(BOUNDS)('has values in its bounds, which are included: %s', (key, label, min, max) => {
    expect(read(key, `${min}`)).toEqual([only(min)]);
    expect(read(key, `${max}`)).toEqual([only(max)]);
    expect(read(key, `${min}-${max}`)).toEqual([to(min, max)]);
    expect(read(key, '*/1')).toEqual([to(min, max)]);
    const problem = `is not in the range ${min}-${max}`;
    for (const outside of [`${max + 1}`, `${max + 1}/2`, `${max + 1}-${max + 2}`, `${min},${max + 1}`]) {
      expect(refusal(key, outside)).toBe(`spec.cronExpressions: ${label} "${outside}" ${problem}`);
    }
    expect(refusal(key, `${max}-${max + 1}`)).toContain(`is not in the range ${max}-${max}`);
    if (min > 0) expect(refusal(key, `${min - 1}`)).toContain(problem);
  });

  it('has 0 to 7 as days of the week', () => {
    expect(refusal('dayOfWeek', '8')).toBe('spec.cronExpressions: day-of-week "8" is not in the range 0-7');
  });

  it.each<[string, string, FieldRange[]]>([
    ['a number', '5', [only(5)]],
    ['a number with a sign', '+5', [only(5)]],
    ['a number of two digits', '45', [only(45)]],
    ['a number with leading zeros', '007', [only(7)]],
    ['a range', '1-5', [to(1, 5)]],
    ['a range of one value', '5-5', [to(5, 5)]],
    ['a range with a step', '1-5/2', [to(1, 5, 2)]],
    ['a wildcard with a step', '*/15', [to(0, 59, 15)]],
    ['a number with a step, to the end of the field', '5/15', [to(5, 59, 15)]],
    ['a number with a step of 1, to the end of the field', '5/1', [to(5, 59)]],
    ['a step with a sign', '*/+15', [to(0, 59, 15)]],
    ['the longest step', '*/2147483647', [to(0, 59, 2_147_483_647)]],
    ['a list, in its order', '30,5-10,*/20', [only(30), to(5, 10), to(0, 59, 20)]],
  ])('is %s', (_, text, ranges) => {
    expect(read('minute', text)).toEqual(ranges);
  });

  it.each([
    ['*/0', 'has an invalid step'],
    ['*/-5', 'has an invalid step'],
    ['*/', 'has an invalid step'],
    ['*/x', 'has an invalid step'],
    ['*/5x', 'has an invalid step'],
    ['*/x5', 'has an invalid step'],
    ['*/1.5', 'has an invalid step'],
    ['5,*/0', 'has an invalid step'],
    ['*/2147483648', 'has an invalid step'],
    ['*/1/2', 'has too many slashes'],
    ['1-2-3', 'has too many dashes'],
    ['5-3', 'is not in the range 5-59'],
    ['', 'is not in the range 0-59'],
    ['5,', 'is not in the range 0-59'],
    ['-5', 'is not in the range 0-59'],
    ['5-', 'is not in the range 5-59'],
    ['?', 'is not in the range 0-59'],
    ['H', 'is not in the range 0-59'],
    ['MON', 'is not in the range 0-59'],
    ['**', 'is not in the range 0-59'],
    ['*-5', 'is not in the range 0-59'],
    ['5x', 'is not in the range 0-59'],
    ['x5', 'is not in the range 0-59'],
    ['1.5', 'is not in the range 0-59'],
    ['0x5', 'is not in the range 0-59'],
  ])('is refused with all its text and the reason: %j', (text, problem) => {
    // An empty text is no field, so it stands beside another item.
    const whole = text === '' ? '5,,6' : text;
    expect(refusal('minute', whole)).toBe(`spec.cronExpressions: minute "${whole}" ${problem}`);
  });
});

describe("names in Temporal's dialect", () => {
  it.each([
    ['Mo', 1],
    ['MON', 1],
    ['monday', 1],
    ['Su', 0],
    ['sund', 0],
    ['Tu', 2],
    ['Th', 4],
    ['Sa', 6],
  ])('are days by two letters or more: %s', (text, value) => {
    expect(read('dayOfWeek', text)).toEqual([only(value)]);
  });

  it.each([
    ['JAN', 1],
    ['Sept', 9],
    ['december', 12],
    ['Jun', 6],
    ['Jul', 7],
    ['mar', 3],
    ['MAY', 5],
  ])('are months by three letters or more: %s', (text, value) => {
    expect(read('month', text)).toEqual([only(value)]);
  });

  it('are told from numbers that are as long', () => {
    expect(read('dayOfWeek', '05')).toEqual([only(5)]);
    expect(read('dayOfWeek', '+5')).toEqual([only(5)]);
    expect(read('month', '012')).toEqual([only(12)]);
  });

  it('may be ends of ranges', () => {
    expect(read('dayOfWeek', 'MON-fri/2')).toEqual([to(1, 5, 2)]);
    expect(read('month', 'Nov-12')).toEqual([to(11, 12)]);
  });

  it.each([
    ['month', 'Ja', 'month "Ja" is not in the range 1-12'],
    ['month', 'J', 'month "J" is not in the range 1-12'],
    ['month', 'MON', 'month "MON" is not in the range 1-12'],
    ['dayOfWeek', 'M', 'day-of-week "M" is not in the range 0-7'],
    ['dayOfWeek', 'JAN', 'day-of-week "JAN" is not in the range 0-7'],
    ['dayOfWeek', 'mondays', 'day-of-week "mondays" is not in the range 0-7; did you mean MONDAY?'],
    ['dayOfWeek', 'Tusday-FRI', 'day-of-week "Tusday-FRI" is not in the range 0-7; did you mean TUESDAY?'],
    ['month', 'Febuary', 'month "Febuary" is not in the range 1-12; did you mean FEBRUARY?'],
    ['dayOfWeek', 'FRI-MON', 'day-of-week "FRI-MON" is not in the range 5-7'],
    ['month', 'Nov-Febuary', 'month "Nov-Febuary" is not in the range 11-12; did you mean FEBRUARY?'],
  ] as const)('are refused if too short or unknown, with what is similar: %s %s', (key, text, problem) => {
    expect(refusal(key, text)).toBe(`spec.cronExpressions: ${problem}`);
  });
});

describe("Sunday in Temporal's dialect", () => {
  it.each<[string, FieldRange[]]>([
    ['0', [only(0)]],
    ['7', [only(0)]],
    ['7-7', [only(0)]],
    ['7/2', [only(0)]],
    ['5-7', [only(0), to(5, 6)]],
    ['6-7', [only(0), to(6, 6)]],
    ['2-7', [only(0), to(2, 6)]],
    // As on the server, these lack the Sunday at their end.
    ['1-7', [to(1, 6)]],
    ['0-7', [to(0, 6)]],
    ['*', [to(0, 6)]],
    ['*/1', [to(0, 6)]],
    ['1/1', [to(1, 6)]],
    // With a longer step, Sunday is a day of the range only if the steps meet it.
    ['1-7/2', [only(0), to(1, 6, 2)]],
    ['1-7/3', [only(0), to(1, 6, 3)]],
    ['1-7/4', [to(1, 6, 4)]],
    ['2-7/2', [to(2, 6, 2)]],
    ['0-7/7', [only(0), to(0, 6, 7)]],
    ['*/2', [to(0, 6, 2)]],
    ['3/2', [only(0), to(3, 6, 2)]],
    ['5-6', [to(5, 6)]],
    ['0-6/2', [to(0, 6, 2)]],
    ['1,5-7', [only(1), only(0), to(5, 6)]],
  ])('is 0, and a range of its own where it was written as 7: %s', (text, ranges) => {
    expect(read('dayOfWeek', text)).toEqual(ranges);
  });

  it('is only in the days of the week: other fields keep their 7', () => {
    expect(read('hour', '5-7')).toEqual([to(5, 7)]);
    expect(read('month', '7')).toEqual([only(7)]);
  });
});
