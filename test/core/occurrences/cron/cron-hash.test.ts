import { describe, expect, it } from 'vitest';
import { HASHED, hashedValues } from '../../../../core/occurrences/cron/cron-hash';
import {
  DAY_OF_MONTH,
  DAY_OF_WEEK,
  type Field,
  HOUR,
  MINUTE,
  MONTH,
  SECOND,
} from '../../../../core/occurrences/fields';
import { range } from '../../minutes';
import { documentedHash } from './documented-hash';

const IDS = Array.from({ length: 600 }, (_, i) => `job-${i}`);

describe('the forms of H', () => {
  it.each([
    ['H', [undefined, undefined, undefined]],
    ['H(9-17)', ['9', '17', undefined]],
    ['H(10-7)', ['10', '7', undefined]],
    ['H/15', [undefined, undefined, '15']],
    ['H(0-29)/10', ['0', '29', '10']],
  ])('are read: %s', (written, parts) => {
    expect(HASHED.exec(written)?.slice(1)).toEqual(parts);
  });

  it.each(['', 'HH', 'H5', '5H', 'H()', 'H(5)', 'H(5-)', 'H(-5)', 'H(1-5', 'H1-5', 'H/', 'H/X', 'H/5X', 'H(A-B)'])(
    'are no others: %j',
    (written) => {
      expect(HASHED.test(written)).toBe(false);
    },
  );
});

describe('H', () => {
  it.each<[string, Field, number, number]>([
    ['second', SECOND, 0, 59],
    ['minute', MINUTE, 0, 59],
    ['hour', HOUR, 0, 23],
    // Every month has these days.
    ['day-of-month', DAY_OF_MONTH, 1, 28],
    ['month', MONTH, 1, 12],
    ['day-of-week', DAY_OF_WEEK, 0, 6],
  ])('has one value, and over many schedules every value of its range: %s', (_, field, first, last) => {
    const values = IDS.map((id) => hashedValues(field, id, undefined, undefined));
    expect(values.every((some) => some.length === 1)).toBe(true);
    expect([...new Set(values.flat())].sort((a, b) => a - b)).toEqual(range(first, last));
  });

  it.each([
    [9, 17],
    [5, 6],
    [59, 59],
  ])('keeps within a range that is given, both ends included: %d to %d', (first, last) => {
    const values = IDS.flatMap((id) => hashedValues(MINUTE, id, { first, last }, undefined));
    expect([...new Set(values)].sort((a, b) => a - b)).toEqual(range(first, last));
  });

  it('has the value of the documented formula', () => {
    for (const id of ['nightly', 'größe', '']) {
      const hour = documentedHash(`${id}\nhour`);
      expect(hashedValues(HOUR, id, undefined, undefined)).toEqual([hour % 24]);
      expect(hashedValues(HOUR, id, { first: 9, last: 17 }, undefined)).toEqual([9 + (hour % 9)]);
    }
  });

  it('with a step has every such value of its range, from one that the ID decides', () => {
    for (const id of IDS.slice(0, 50)) {
      const first = documentedHash(`${id}\nminute`) % 20;
      expect(hashedValues(MINUTE, id, undefined, 20)).toEqual([first, first + 20, first + 40]);
      const second = documentedHash(`${id}\nminute`) % 10;
      expect(hashedValues(MINUTE, id, { first: 30, last: 49 }, 10)).toEqual([30 + second, 40 + second]);
    }
    expect(new Set(IDS.map((id) => hashedValues(MINUTE, id, undefined, 20)[0])).size).toBe(20);
  });

  it('with a step longer than its range has one value, anywhere in the range', () => {
    const values = IDS.map((id) => hashedValues(MINUTE, id, { first: 10, last: 14 }, 30));
    expect(values.every((some) => some.length === 1)).toBe(true);
    expect([...new Set(values.flat())].sort((a, b) => a - b)).toEqual(range(10, 14));
  });

  it('with a step of 1 has every value', () => {
    expect(hashedValues(HOUR, 'nightly', undefined, 1)).toEqual(range(0, 23));
  });
});
