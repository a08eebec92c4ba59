import { describe, expect, it } from 'vitest';
import { InvalidScheduleError } from '../../../../core/errors';
import {
  isDate,
  parseInstant,
  readDuration,
  readInstant,
  readJitter,
  readList,
  readWholeSecond,
  refuseUnknown,
} from '../../../../core/occurrences/read';
import { STEPS_AT_MOST, spend, stepsOf, withinSteps } from '../../../../core/occurrences/steps';

const refused = (problem: string, path = 'spec.at') =>
  expect.objectContaining({ name: 'InvalidScheduleError', path, problem: expect.stringContaining(problem) });

describe('an instant', () => {
  it.each<[unknown, string]>([
    ['2026-11-20T02:00Z', '2026-11-20T02:00:00.000Z'],
    ['2026-11-20T02:00:01Z', '2026-11-20T02:00:01.000Z'],
    ['2026-11-20T02:00:01.5Z', '2026-11-20T02:00:01.500Z'],
    ['2026-11-20T02:00:01.123456Z', '2026-11-20T02:00:01.123Z'],
    ['2026-11-20T02:00:00+05:45', '2026-11-19T20:15:00.000Z'],
    ['2026-11-20T02:00-08:00', '2026-11-20T10:00:00.000Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['+012026-11-20T02:00:00Z', '+012026-11-20T02:00:00.000Z'],
    ['-000001-11-20T02:00:00Z', '-000001-11-20T02:00:00.000Z'],
    [new Date('2026-11-20T02:00:01.5Z'), '2026-11-20T02:00:01.500Z'],
    [new Date(8.64e15), '+275760-09-13T00:00:00.000Z'],
  ])('may be %s', (value, iso) => {
    expect(new Date(readInstant(value, 'spec.at')).toISOString()).toBe(iso);
  });

  it.each<[unknown, string]>([
    ['2026-11-20T02:00:00', '"2026-11-20T02:00:00"'],
    ['2026-11-20', '"2026-11-20"'],
    ['2026-11-20 02:00:00Z', '"2026-11-20 02:00:00Z"'],
    ['2026-11-20T02Z', '"2026-11-20T02Z"'],
    ['2026-11-20T02:00:00.Z', '"2026-11-20T02:00:00.Z"'],
    ['2026-11-20T2:00:00Z', '"2026-11-20T2:00:00Z"'],
    ['2026-11-20T02:00:00z', '"2026-11-20T02:00:00z"'],
    ['2026-11-20T02:00:00+0100', '"2026-11-20T02:00:00+0100"'],
    ['2026-11-20T02:00:00+01:00:00', '"2026-11-20T02:00:00+01:00:00"'],
    ['at 2026-11-20T02:00:00Z', '"at 2026-11-20T02:00:00Z"'],
    ['2026-11-20T02:00:00Z sharp', '"2026-11-20T02:00:00Z sharp"'],
    ['02026-11-20T02:00:00Z', '"02026-11-20T02:00:00Z"'],
    ['12026-11-20T02:00:00Z', '"12026-11-20T02:00:00Z"'],
    ['2026-11-20T24:30:00Z', '"2026-11-20T24:30:00Z"'],
    ['2026-11-20T02:60:00Z', '"2026-11-20T02:60:00Z"'],
    ['2026-02-29T02:00:00Z', '"2026-02-29T02:00:00Z"'],
    ['', '""'],
    [1_700_000_000_000, '1700000000000'],
    [null, 'null'],
    [undefined, 'undefined'],
    [['2026-11-20T02:00:00Z'], '["2026-11-20T02:00:00Z"]'],
    [new Date(Number.NaN), 'an invalid Date'],
  ])('is not %s', (value, shown) => {
    const problem = `${shown} is not an instant; a Date or "2026-11-20T02:00:00Z" is allowed`;
    expect(() => readInstant(value, 'spec.at[3]')).toThrow(refused(problem, 'spec.at[3]'));
    if (!(value instanceof Date)) expect(parseInstant(value)).toBeNaN();
  });

  it('takes fewer steps as a Date than as a text', () => {
    const asDate = stepsOf(() => readInstant(new Date(0), 'spec.at'));
    const asText = stepsOf(() => readInstant('1970-01-01T00:00:00Z', 'spec.at'));
    expect([asDate > 0, asText > asDate]).toEqual([true, true]);
    const many = () => withinSteps('spec', () => [spend(STEPS_AT_MOST), readInstant(new Date(0), 'spec.at')]);
    expect(many).toThrow(InvalidScheduleError);
  });
});

describe('a date', () => {
  it.each(['2026-01-01', '2026-12-31', '2026-04-30', '2028-02-29', '2000-02-29', '0001-01-01', '+012026-01-31'])(
    'is %s',
    (text) => expect(isDate(text)).toBe(true),
  );
  it.each([
    '2026-01-00',
    '2026-01-32',
    '2026-00-10',
    '2026-13-10',
    '2026-04-31',
    '2026-02-29',
    '2100-02-29',
    '2026-1-1',
    '2026-01-1',
    '26-01-01',
    '12026-01-01',
    '+2026-01-01',
    ' 2026-01-01',
    '2026-01-01T',
    'today',
    '',
  ])('is not "%s"', (text) => expect(isDate(text)).toBe(false));
});

describe('a whole second of 1970 to 2100', () => {
  it.each([
    ['1970-01-01T00:00:00Z', 0],
    ['2026-11-20T02:00:01Z', 1_795_140_001],
    ['2100-12-31T23:59:59Z', 4_133_980_799],
    ['2026-11-20T02:00:01.000Z', 1_795_140_001],
  ])('may be %s', (text, second) => {
    expect(readWholeSecond(text, 'spec.at')).toBe(second);
    expect(readWholeSecond(new Date(text), 'spec.at')).toBe(second);
  });
  it.each([
    ['1969-12-31T23:59:59Z', '"1969-12-31T23:59:59Z" is not in the years 1970 to 2100'],
    ['2101-01-01T00:00:00Z', '"2101-01-01T00:00:00Z" is not in the years 1970 to 2100'],
    ['2026-11-20T02:00:01.5Z', '"2026-11-20T02:00:01.5Z" is not a whole second'],
    ['1969-12-31T23:59:59.5Z', 'is not a whole second'],
    ['noon', '"noon" is not an instant'],
  ])('is not %s', (text, problem) => {
    expect(() => readWholeSecond(text, 'spec.at')).toThrow(refused(problem));
  });
});

describe('a duration', () => {
  it.each<[unknown, number]>([
    ['5 minutes', 300_000],
    ['1h', 3_600_000],
    ['-1h', -3_600_000],
    [1_500, 1_500],
    [0, 0],
    [-5, -5],
  ])('is in milliseconds: %s', (value, milliseconds) => {
    expect(readDuration(value, 'spec.intervals[0].every')).toBe(milliseconds);
  });
  it.each<[unknown, string]>([
    ['', '""'],
    ['soon', '"soon"'],
    [undefined, 'undefined'],
    [null, 'null'],
    [Number.POSITIVE_INFINITY, 'null'],
    [['1h'], '["1h"]'],
  ])('is not %s', (value, shown) => {
    const problem = `${shown} is not a duration; "5 minutes", "1h" or milliseconds are allowed`;
    expect(() => readDuration(value, 'spec.intervals[0].every')).toThrow(refused(problem, 'spec.intervals[0].every'));
  });
});

describe('jitter', () => {
  it.each([
    ['1 minute', 60_000],
    [0, 0],
    [0.5, 0.5],
  ])('may be %s', (value, milliseconds) => expect(readJitter(value)).toBe(milliseconds));
  it.each([
    [-1, '-1 is negative'],
    ['-1h', '"-1h" is negative'],
    ['some', '"some" is not a duration'],
  ])('is not %s', (value, problem) => {
    expect(() => readJitter(value)).toThrow(refused(problem, 'spec.jitter'));
  });
});

describe('a list', () => {
  it.each<[string, unknown, [unknown, string][]]>([
    ['missing', undefined, []],
    ['null', null, []],
    ['empty', [], []],
    ['a single value', 'one', [['one', 'spec.cron']]],
    ['a value that counts as false', 0, [[0, 'spec.cron']]],
    ['a list of one', ['one'], [['one', 'spec.cron[0]']]],
    [
      'a list of several',
      ['one', 'two'],
      [
        ['one', 'spec.cron[0]'],
        ['two', 'spec.cron[1]'],
      ],
    ],
  ])('has the path of each entry: %s', (_, value, entries) => {
    expect(readList(value, 'spec.cron')).toEqual(entries.map(([item, path]) => ({ value: item, path })));
  });
  it('has 1,000 entries at most, or as many as its part may have', () => {
    const list = (length: number) => Array.from({ length }, (_, n) => n);
    expect(readList(list(1_000), 'spec.cron')).toHaveLength(1_000);
    expect(() => readList(list(1_001), 'spec.cron')).toThrow(
      refused('has 1001 entries; at most 1,000 are allowed', 'spec.cron'),
    );
    expect(readList(list(1_001), 'spec.at', 10_000)).toHaveLength(1_001);
    expect(() => readList(list(3), 'spec.at', 2)).toThrow(refused('has 3 entries; at most 2 are allowed'));
  });
});

describe('the fields of an object', () => {
  const known = ['start', 'end', 'step'];
  it('may be all, some or none of those that are known', () => {
    for (const object of [{}, { end: 1 }, { step: 1, start: 2, end: 3 }, { start: undefined }]) {
      expect(() => refuseUnknown(object, known, 'spec.calendars[0].hour')).not.toThrow();
    }
  });
  it.each([
    [{ start: 1, edn: 2 }, 'edn', 'is not a field here; start, end, step are; did you mean end?'],
    [{ colour: 'red' }, 'colour', 'is not a field here; start, end, step are'],
    [{ from: undefined }, 'from', 'is not a field here; start, end, step are'],
  ])('are refused with their path: %j', (object, key, problem) => {
    const exact = expect.objectContaining({ path: `spec.skip[1].${key}`, problem });
    expect(() => refuseUnknown(object, known, 'spec.skip[1]')).toThrow(exact);
  });
});
