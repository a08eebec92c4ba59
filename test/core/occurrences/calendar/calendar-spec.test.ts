import { describe, expect, it } from 'vitest';
import { readCalendarSpec } from '../../../../core/occurrences/calendar/calendar-spec';
import type { FieldRange } from '../../../../core/occurrences/ranges';
import { stepsOf } from '../../../../core/occurrences/steps';
import type { CalendarSpec } from '../../../../core/schedule/spec';

const PATH = 'spec.calendars[3]';

function read(spec: unknown) {
  return readCalendarSpec(spec as CalendarSpec, PATH);
}

const ranged = (start: number, end = start, step = 1): FieldRange => ({ start, end, step });
const MIDNIGHT = {
  second: [ranged(0)],
  minute: [ranged(0)],
  hour: [ranged(0)],
  dayOfMonth: [ranged(1, 31)],
  month: [ranged(1, 12)],
  dayOfWeek: [ranged(0, 6)],
  year: [],
};
const FIELDS = ['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek', 'year'] as const;

describe('a calendar', () => {
  it.each([
    ['without any field', {}],
    ['with undefined fields', Object.fromEntries(FIELDS.map((field) => [field, undefined]))],
    ['with null fields, as from JSON', Object.fromEntries(FIELDS.map((field) => [field, null]))],
    ['with a comment alone', { comment: 'each night' }],
  ])('is midnight of every day: %s', (_, spec) => {
    expect(read(spec)).toEqual(MIDNIGHT);
  });

  it('has all values of a field for *, and every year without a range, as in the server', () => {
    expect(read(Object.fromEntries(FIELDS.map((field) => [field, '*'])))).toEqual({
      ...MIDNIGHT,
      second: [ranged(0, 59)],
      minute: [ranged(0, 59)],
      hour: [ranged(0, 23)],
    });
  });

  it.each<[what: string, spec: CalendarSpec, expected: object]>([
    [
      'the lowest values',
      { second: 0, minute: 0, hour: 0, dayOfMonth: 1, year: 2000 },
      {
        dayOfMonth: [ranged(1)],
        year: [ranged(2000)],
      },
    ],
    [
      'the highest values',
      { second: 59, minute: 59, hour: 23, dayOfMonth: 31, year: 2100 },
      {
        second: [ranged(59)],
        minute: [ranged(59)],
        hour: [ranged(23)],
        dayOfMonth: [ranged(31)],
        year: [ranged(2100)],
      },
    ],
    ['the first names', { month: 'JANUARY', dayOfWeek: 'SUNDAY' }, { month: [ranged(1)], dayOfWeek: [ranged(0)] }],
    ['the last names', { month: 'DECEMBER', dayOfWeek: 'SATURDAY' }, { month: [ranged(12)], dayOfWeek: [ranged(6)] }],
    [
      'a list, in its order',
      { hour: [9, 4, { start: 15, end: 20 }] },
      { hour: [ranged(9), ranged(4), ranged(15, 20)] },
    ],
    ['an empty list, which matches nothing', { hour: [] }, { hour: [] }],
    ['names in a range', { dayOfWeek: { start: 'MONDAY', end: 'FRIDAY' } }, { dayOfWeek: [ranged(1, 5)] }],
  ])('has ranges of numbers: %s', (_, spec, expected) => {
    expect(read(spec)).toEqual({ ...MIDNIGHT, ...expected });
  });

  it.each<[what: string, range: object, expected: FieldRange]>([
    ['a start and an end', { start: 5, end: 9 }, ranged(5, 9)],
    ['an end at its start', { start: 5, end: 5 }, ranged(5)],
    ['no end, which is 1 as the SDK sends it', { start: 0 }, ranged(0, 1)],
    ['no end and a start of 1', { start: 1 }, ranged(1)],
    ['an undefined end', { start: 0, end: undefined }, ranged(0, 1)],
    ['an end of 0, which the server reads as none', { start: 5, end: 0 }, ranged(5)],
    ['a start and end of 0', { start: 0, end: 0 }, ranged(0)],
    ['an end of null', { start: 5, end: null }, ranged(5)],
    ['a step', { start: 5, end: 9, step: 2 }, ranged(5, 9, 2)],
    ['a step of 1', { start: 5, end: 9, step: 1 }, ranged(5, 9)],
    ['a step of 0, which is 1', { start: 5, end: 9, step: 0 }, ranged(5, 9)],
    ['a negative step, which is 1', { start: 5, end: 9, step: -2 }, ranged(5, 9)],
    ['an undefined step', { start: 5, end: 9, step: undefined }, ranged(5, 9)],
    ['a step of null', { start: 5, end: 9, step: null }, ranged(5, 9)],
    ['a step beyond its end', { start: 5, end: 9, step: 100 }, ranged(5, 9, 100)],
  ])('reads a range as the SDK encodes it: %s', (_, range, expected) => {
    expect(read({ hour: range }).hour).toEqual([expected]);
  });

  it.each([
    ['an empty one', ''],
    ['200 bytes', 'x'.repeat(200)],
    ['200 bytes of 100 letters', 'ö'.repeat(100)],
  ])('may have a comment: %s', (_, comment) => {
    expect(read({ comment })).toEqual(MIDNIGHT);
  });

  it('costs a hundred steps for each item of a list', () => {
    expect(stepsOf(() => read({}))).toBe(0);
    expect(stepsOf(() => read({ hour: [1, 2, { start: 3, end: 4 }], minute: 5 }))).toBe(400);
  });
});

describe('what is no calendar', () => {
  it.each<[spec: unknown, path: string, problem: string]>([
    [null, PATH, 'is a calendar such as { hour: 9 }, not null'],
    [undefined, PATH, 'is a calendar such as { hour: 9 }, not undefined'],
    ['0 9 * * *', PATH, 'is a calendar such as { hour: 9 }, not "0 9 * * *"'],
    [9, PATH, 'is a calendar such as { hour: 9 }, not 9'],
    [[{ hour: 9 }], PATH, 'is a calendar such as { hour: 9 }, not [{"hour":9}]'],
    [
      { hours: 9 },
      `${PATH}.hours`,
      'is not a field here; second, minute, hour, dayOfMonth, month, dayOfWeek, year, comment are; did you mean hour?',
    ],
    [{ comment: 7 }, `${PATH}.comment`, '7 is no text'],
    [{ comment: null }, `${PATH}.comment`, 'null is no text'],
    [{ comment: 'x'.repeat(201) }, `${PATH}.comment`, 'is longer than 200 bytes'],
    [{ comment: 'ö'.repeat(101) }, `${PATH}.comment`, 'is longer than 200 bytes'],
    [{ second: 60 }, `${PATH}.second`, '60 is not allowed; a number in 0-59 is'],
    [{ minute: -1 }, `${PATH}.minute`, '-1 is not allowed; a number in 0-59 is'],
    [{ hour: 24 }, `${PATH}.hour`, '24 is not allowed; a number in 0-23 is'],
    [{ hour: 9.5 }, `${PATH}.hour`, '9.5 is not allowed; a number in 0-23 is'],
    [{ hour: '9' }, `${PATH}.hour`, '"9" is not allowed; a number in 0-23 is'],
    [{ hour: true }, `${PATH}.hour`, 'true is not allowed; a number in 0-23 is'],
    [{ hour: [9, null] }, `${PATH}.hour`, 'null is not allowed; a number in 0-23 is'],
    [{ hour: [9, '*'] }, `${PATH}.hour`, '"*" is not allowed; a number in 0-23 is'],
    [{ hour: [[9]] }, `${PATH}.hour.0`, 'is not a field here; start, end, step are'],
    [{ dayOfMonth: 0 }, `${PATH}.dayOfMonth`, '0 is not allowed; a number in 1-31 is'],
    [{ dayOfMonth: 32 }, `${PATH}.dayOfMonth`, '32 is not allowed; a number in 1-31 is'],
    [{ year: 1999 }, `${PATH}.year`, '1999 is not allowed; a number in 2000-2100 is'],
    [{ year: 2101 }, `${PATH}.year`, '2101 is not allowed; a number in 2000-2100 is'],
    [{ month: 3 }, `${PATH}.month`, '3 is not allowed; JANUARY to DECEMBER are'],
    [{ month: 'MARHC' }, `${PATH}.month`, '"MARHC" is not allowed; JANUARY to DECEMBER are; did you mean MARCH?'],
    [
      { dayOfWeek: 'Monday' },
      `${PATH}.dayOfWeek`,
      '"Monday" is not allowed; SUNDAY to SATURDAY are; did you mean MONDAY?',
    ],
    [{ dayOfWeek: 7 }, `${PATH}.dayOfWeek`, '7 is not allowed; SUNDAY to SATURDAY are'],
    [{ hour: {} }, `${PATH}.hour.start`, 'undefined is not allowed; a number in 0-23 is'],
    [{ hour: { start: 24, end: 25 } }, `${PATH}.hour.start`, '24 is not allowed; a number in 0-23 is'],
    [{ hour: { start: 9, end: 24 } }, `${PATH}.hour.end`, '24 is not allowed; a number in 0-23 is'],
    [{ hour: { start: 9, end: 8 } }, `${PATH}.hour`, 'its end 8 is before its start 9'],
    [
      { hour: { start: 2 } },
      `${PATH}.hour.end`,
      'is missing: Temporal takes 1 for it; write the value alone, or give the range its end',
    ],
    [
      { month: { start: 'MARCH', end: 'JUNY' } },
      `${PATH}.month.end`,
      '"JUNY" is not allowed; JANUARY to DECEMBER are; did you mean JUNE?',
    ],
    [{ hour: { start: 9, end: 17, step: 1.5 } }, `${PATH}.hour.step`, 'is a whole number, not 1.5'],
    [{ hour: { start: 9, end: 17, step: '2' } }, `${PATH}.hour.step`, 'is a whole number, not "2"'],
    [{ hour: { start: 9, end: 17, every: 2 } }, `${PATH}.hour.every`, 'is not a field here; start, end, step are'],
  ])('is refused by its path, with what is allowed: %j', (spec, path, problem) => {
    expect(() => read(spec)).toThrow(expect.objectContaining({ name: 'InvalidScheduleError', path, problem }));
  });
});
