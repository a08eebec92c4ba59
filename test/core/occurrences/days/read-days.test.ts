import { describe, expect, it } from 'vitest';
import { calendarsIn, readDay, readDays } from '../../../../core/occurrences/days/read-days';
import { stepsOf } from '../../../../core/occurrences/steps';
import type { ScheduleSpec } from '../../../../core/schedule/spec';
import { refusalBy } from '../../../support/refusal';

const DAY = 86_400_000;
/** The number of a date's day, by Date. */
const day = (date: string) => Date.parse(date) / DAY;
const date = (number: number) => new Date(number * DAY).toISOString().slice(0, 10);
const datesFrom = (first: string, count: number) =>
  Array.from({ length: count }, (_, index) => date(day(first) + index)).join(' ');

describe('a day', () => {
  it.each<[string, number]>([
    ['1970-01-01', 0],
    ['1970-01-02', 1],
    ['1970-12-31', 364],
    ['2024-02-29', day('2024-02-29')],
    ['2026-12-25', day('2026-12-25')],
    ['2100-12-31', day('2100-12-31')],
  ])('counts from 1970-01-01: %s', (text, number) => {
    expect(readDay(text, 'days')).toBe(number);
  });

  it.each([
    '1969-12-31',
    '2101-01-01',
    '2026-02-29',
    '2100-02-29',
    '2026-13-01',
    '2026-1-01',
    '26-12-25',
    '2026-12-25T00:00:00Z',
    ' 2026-12-25',
    '+002026-12-25',
    'de-holidays',
    '',
  ])('is a date that exists, in the years 1970 to 2100, and not %j', (text) => {
    expect(refusalBy(() => readDay(text, 'days[3]'))).toMatchObject({
      path: 'days[3]',
      problem: `${JSON.stringify(text)} is not a date in the years 1970 to 2100, such as 2026-12-25`,
    });
  });
});

describe('the days of a spec', () => {
  const read = (spec: ScheduleSpec) => readDays(spec, 'skipDays')?.map(date);

  it('are in order, each once, from dates and calendars alike', () => {
    const calendarDays = { late: '2026-12-31 2026-12-24', early: '1999-01-01 2026-12-24' };
    expect(read({ skipDays: ['2026-12-25', 'late', '2026-05-01', 'early', '2026-12-25'], calendarDays })).toEqual([
      '1999-01-01',
      '2026-05-01',
      '2026-12-24',
      '2026-12-25',
      '2026-12-31',
    ]);
  });

  it('are in the order of days, and not of their numbers as texts', () => {
    expect(readDays({ onlyDays: ['1970-01-11', '1970-01-03', '1970-01-02'] }, 'onlyDays')).toEqual([1, 2, 10]);
  });

  it('may be one entry without a list', () => {
    expect(read({ skipDays: '2026-12-25' } as unknown as ScheduleSpec)).toEqual(['2026-12-25']);
  });

  it('are those of the asked field alone', () => {
    const spec = { skipDays: ['2026-12-24'], onlyDays: ['2026-12-25'] };
    expect(readDays(spec, 'skipDays')?.map(date)).toEqual(['2026-12-24']);
    expect(readDays(spec, 'onlyDays')?.map(date)).toEqual(['2026-12-25']);
  });

  it.each(['', ' ', '   '])('of a calendar without days are none: %j', (days) => {
    expect(read({ skipDays: ['a'], calendarDays: { a: days } })).toEqual([]);
  });

  it('of a calendar may have more than one space between them', () => {
    const calendarDays = { a: ' 2026-12-24  2026-12-25 ' };
    expect(read({ skipDays: ['a'], calendarDays })).toEqual(['2026-12-24', '2026-12-25']);
  });

  it.each([[undefined], [null]])('are not given where the field is %s', (value) => {
    const spec = { skipDays: value, onlyDays: value } as unknown as ScheduleSpec;
    expect(readDays(spec, 'skipDays')).toBeUndefined();
    expect(readDays(spec, 'onlyDays')).toBeUndefined();
  });

  it('may be an empty list to skip nothing, but not to keep to nothing', () => {
    expect(readDays({ skipDays: [] }, 'skipDays')).toBeUndefined();
    expect(refusalBy(() => readDays({ onlyDays: [] }, 'onlyDays'))).toMatchObject({
      path: 'spec.onlyDays',
      problem: 'is empty; leave it out',
    });
  });

  it.each([
    ['25 Dec', '"25 Dec"'],
    ['2026-02-30', '"2026-02-30"'],
    ['', '""'],
    [7, '7'],
    [null, 'null'],
    [{ toString: 1 }, '{"toString":1}'],
    [['2026-12-25'], '["2026-12-25"]'],
  ])('are dates and names of calendars, and not %j', (entry, shown) => {
    const spec = { skipDays: ['2026-12-25', entry] } as ScheduleSpec;
    expect(refusalBy(() => readDays(spec, 'skipDays'))).toMatchObject({
      path: 'spec.skipDays[1]',
      problem: `${shown} is neither the name of a calendar nor a date such as 2026-12-25`,
    });
  });

  it.each<[string, unknown]>([
    ['no calendar is given', undefined],
    ['the calendars come from JSON without a value', null],
    ['only others are given', { other: '2026-12-25' }],
    ['its days are no text', { toString: ['2026-12-25'] }],
  ])('are not known where %s', (_, calendarDays) => {
    const spec = { onlyDays: ['toString'], calendarDays } as unknown as ScheduleSpec;
    expect(refusalBy(() => readDays(spec, 'onlyDays'))).toMatchObject({
      path: 'spec.onlyDays[0]',
      problem: "the days of calendar 'toString' are not known here; spec.calendarDays has none",
    });
  });

  it('of a calendar are refused at the entry that names it', () => {
    const spec = { skipDays: ['2026-12-25', 'a'], calendarDays: { a: '2026-12-24 2026-02-30' } };
    expect(refusalBy(() => readDays(spec, 'skipDays'))).toMatchObject({
      path: 'spec.skipDays[1]',
      problem: '"2026-02-30" is not a date in the years 1970 to 2100, such as 2026-12-25',
    });
  });

  it('are 10,000 at most with all calendars of the field, each day counted once', () => {
    const days = (count: number) => ({
      skipDays: ['one', 'two', '1980-01-01'],
      calendarDays: { one: datesFrom('1980-01-01', 6_000), two: datesFrom('1990-01-01', count) },
    });
    // The first calendar ends in 1996, within the second one.
    const overlap = day('1980-01-01') + 6_000 - day('1990-01-01');
    expect(readDays(days(4_000 + overlap), 'skipDays')).toHaveLength(10_000);
    expect(refusalBy(() => readDays(days(4_001 + overlap), 'skipDays'))).toMatchObject({
      path: 'spec.skipDays',
      problem: 'has more than 10,000 days',
    });
  });

  it('cost ten steps each, so that calendars cannot make an evaluation endless', () => {
    const cost = (count: number) =>
      stepsOf(() => readDays({ skipDays: ['a'], calendarDays: { a: datesFrom('1980-01-01', count) } }, 'skipDays'));
    expect(cost(500) - cost(100)).toBe(4_000);
  });
});

describe('the calendars that a spec names', () => {
  it('are those of both fields, skipDays first, with their paths', () => {
    expect(calendarsIn({ onlyDays: ['b', 'a'], skipDays: ['2026-12-25', 'c', 'a'] })).toEqual([
      { name: 'c', path: 'spec.skipDays[1]' },
      { name: 'a', path: 'spec.skipDays[2]' },
      { name: 'b', path: 'spec.onlyDays[0]' },
      { name: 'a', path: 'spec.onlyDays[1]' },
    ]);
  });

  it('may be one entry without a list', () => {
    expect(calendarsIn({ onlyDays: 'a' } as unknown as ScheduleSpec)).toEqual([{ name: 'a', path: 'spec.onlyDays' }]);
  });

  it('are none where it names dates alone, or nothing', () => {
    expect(calendarsIn({ skipDays: ['2026-12-25'], onlyDays: [] })).toEqual([]);
    expect(calendarsIn({ cron: '0 2 * * *' })).toEqual([]);
  });

  it('need not be known', () => {
    expect(calendarsIn({ skipDays: ['a'], calendarDays: {} })).toEqual([{ name: 'a', path: 'spec.skipDays[0]' }]);
  });

  it('are refused where an entry is neither a name nor a date', () => {
    expect(refusalBy(() => calendarsIn({ skipDays: ['a', '2026-02-30'] }))).toMatchObject({
      path: 'spec.skipDays[1]',
      problem: '"2026-02-30" is neither the name of a calendar nor a date such as 2026-12-25',
    });
  });
});
