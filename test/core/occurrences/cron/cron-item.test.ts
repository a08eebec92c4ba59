import { describe, expect, it } from 'vitest';
import { itemValues } from '../../../../core/occurrences/cron/cron-item';
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
import { stepsOf } from '../../../../core/occurrences/steps';
import { range } from '../../minutes';

describe('an item of a cron field', () => {
  it.each<[string, Field, number[]]>([
    ['second', SECOND, range(0, 59)],
    ['minute', MINUTE, range(0, 59)],
    ['hour', HOUR, range(0, 23)],
    ['day-of-month', DAY_OF_MONTH, range(1, 31)],
    ['month', MONTH, range(1, 12)],
    ['day-of-week', DAY_OF_WEEK, range(0, 6)],
    ['year', YEAR, range(1970, 2100)],
  ])('that is a wildcard has all values of its field, each once: %s', (_, field, values) => {
    expect(itemValues(field, '*', undefined)).toEqual(values);
    expect(itemValues(field, '?', undefined)).toEqual(values);
    expect(itemValues(field, '*', 1)).toEqual(values);
  });

  it.each<[string, Field, string, number | undefined, number[]]>([
    ['a number', MINUTE, '5', undefined, [5]],
    ['a range, with both ends', MINUTE, '1-5', undefined, [1, 2, 3, 4, 5]],
    ['a range of one', MINUTE, '5-5', undefined, [5]],
    ['a range of two digits', MINUTE, '10-12', undefined, [10, 11, 12]],
    ['a wildcard with a step', MINUTE, '*', 20, [0, 20, 40]],
    ['a wildcard with a step, in a field from 1', MONTH, '*', 5, [1, 6, 11]],
    ['a step longer than the field', MINUTE, '*', 100, [0]],
    ['a range with a step that meets its end', MINUTE, '10-20', 5, [10, 15, 20]],
    ['a range with a step that misses its end', MINUTE, '10-19', 5, [10, 15]],
    ['a number with a step, to the end of the field', MINUTE, '10', 15, [10, 25, 40, 55]],
    ['a number with a step of 1, to the end of the field', MINUTE, '56', 1, [56, 57, 58, 59]],
    ['the last number, with a step', MINUTE, '59', 15, [59]],
    ['a range that wraps', HOUR, '22-2', undefined, [22, 23, 0, 1, 2]],
    ['a range that wraps, in a field from 1', MONTH, '11-2', undefined, [11, 12, 1, 2]],
    ['a range from the last to the first', DAY_OF_MONTH, '31-1', undefined, [31, 1]],
    ['a range that wraps to just before its start', HOUR, '1-0', undefined, [...range(1, 23), 0]],
    ['a range that wraps with a step', HOUR, '22-4', 3, [22, 1, 4]],
    ['a range of days that wraps', DAY_OF_WEEK, '5-1', undefined, [5, 6, 0, 1]],
    ['a range of days to Sunday', DAY_OF_WEEK, '5-7', undefined, [5, 6, 7]],
    ['a range of days from Sunday as 7', DAY_OF_WEEK, '7-2', undefined, [0, 1, 2]],
    ['Sunday as 7', DAY_OF_WEEK, '7', undefined, [7]],
    ['Sunday as 7 with a step, after which the week is over', DAY_OF_WEEK, '7', 2, [7]],
    ['a day with a step, to Saturday', DAY_OF_WEEK, '1', 2, [1, 3, 5]],
    ['Sunday with a step, to Saturday', DAY_OF_WEEK, '0', 6, [0, 6]],
  ])('has the values of %s', (_, field, body, step, values) => {
    expect(itemValues(field, body, step)).toEqual(values);
  });

  it.each<[string, Field, number, number]>([
    ['second', SECOND, 0, 59],
    ['minute', MINUTE, 0, 59],
    ['hour', HOUR, 0, 23],
    ['day-of-month', DAY_OF_MONTH, 1, 31],
    ['month', MONTH, 1, 12],
    ['day-of-week', DAY_OF_WEEK, 0, 7],
    ['year', YEAR, 1970, 2100],
  ])('is in the bounds of its field, which are included: %s', (_, field, min, max) => {
    expect(itemValues(field, `${min}`, undefined)).toEqual([min]);
    expect(itemValues(field, `${max}`, undefined)).toEqual([max]);
    expect(itemValues(field, `${min}-${max}`, undefined)).toEqual(range(min, max));
    expect(itemValues(field, `${max + 1}`, undefined)).toBeUndefined();
    expect(itemValues(field, `${min}-${max + 1}`, undefined)).toBeUndefined();
    expect(itemValues(field, `${max + 1}-${min}`, undefined)).toBeUndefined();
    if (min === 0) return;
    expect(itemValues(field, `${min - 1}`, undefined)).toBeUndefined();
    expect(itemValues(field, `${min - 1}-${max}`, undefined)).toBeUndefined();
    expect(itemValues(field, `${max}-${min - 1}`, undefined)).toBeUndefined();
  });

  it.each(['*5', '5*', '**'])('is not read where more than the wildcard is written: %s', (body) => {
    expect(itemValues(MINUTE, body, undefined)).toBeUndefined();
  });

  it('costs steps for itself and for each of its values', () => {
    const one = stepsOf(() => itemValues(MINUTE, '0', undefined));
    expect(one).toBe(53);
    expect(stepsOf(() => itemValues(MINUTE, '*', undefined))).toBe(one + 59 * 3);
  });
});
