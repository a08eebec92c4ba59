import { describe, expect, it } from 'vitest';
import { matches } from '../../../../core/occurrences/calendar/calendar';
import { type CalendarRanges, calendarOfRanges, only, TEMPORAL_YEAR } from '../../../../core/occurrences/ranges';
import { stepsOf } from '../../../../core/occurrences/steps';

const all = (start: number, end: number) => [{ start, end, step: 1 }];
const every: CalendarRanges = {
  second: all(0, 59),
  minute: all(0, 59),
  hour: all(0, 23),
  dayOfMonth: all(1, 31),
  month: all(1, 12),
  dayOfWeek: all(0, 6),
  year: [],
};

/** Whether the clock shows a match. */
const has = (ranges: Partial<CalendarRanges>, local: string) =>
  matches(calendarOfRanges({ ...every, ...ranges }), Date.parse(`${local}Z`) / 1000);
/** The seconds of a minute that match. */
const seconds = (second: CalendarRanges['second']) =>
  Array.from({ length: 60 }, (_, n) => n).filter((n) =>
    has({ second }, `2026-03-15T09:30:${String(n).padStart(2, '0')}`),
  );

describe('ranges of a calendar', () => {
  it.each<[string, CalendarRanges['second'], number[]]>([
    ['one value', [only(7)], [7]],
    ['both ends', all(57, 59), [57, 58, 59]],
    ['every 20th from the start', [{ start: 5, end: 59, step: 20 }], [5, 25, 45]],
    ['the end if a step meets it', [{ start: 5, end: 25, step: 10 }], [5, 15, 25]],
    ['the start alone if the step is longer', [{ start: 5, end: 9, step: 5 }], [5]],
    ['ranges that overlap', [...all(1, 3), ...all(2, 4)], [1, 2, 3, 4]],
    ['nothing without a range', [], []],
  ])('have %s', (_, ranges, values) => {
    expect(seconds(ranges)).toEqual(values);
  });

  it.each<[keyof CalendarRanges, number, string, string]>([
    ['second', 30, '2026-03-15T09:20:30', '2026-03-15T09:30:20'],
    ['minute', 30, '2026-03-15T09:30:20', '2026-03-15T09:20:30'],
    ['hour', 9, '2026-03-15T09:00:00', '2026-03-09T10:00:00'],
    ['dayOfMonth', 15, '2026-03-15T09:00:00', '2026-03-16T15:15:15'],
    ['month', 12, '2026-12-31T09:00:00', '2026-11-12T12:12:12'],
    // 15 March 2026 is a Sunday.
    ['dayOfWeek', 0, '2026-03-15T09:00:00', '2026-03-16T00:00:00'],
    ['year', 2028, '2028-03-15T09:00:00', '2026-03-15T20:28:00'],
  ])('are of their field: %s %d', (key, value, match, other) => {
    const ranges = { [key]: [only(value)] };
    expect([has(ranges, match), has(ranges, other)]).toEqual([true, false]);
  });
});

describe('the years of a calendar', () => {
  const [first, last] = [TEMPORAL_YEAR.min, TEMPORAL_YEAR.max];
  const shown = ['1971', '1999', '2000', '2050', '2099', '2100'];
  const years = (ranges: CalendarRanges['year']) =>
    shown.filter((year) => has({ year: ranges }, `${year}-06-01T00:00:00`));
  it('are 2000 to 2100', () => expect([first, last]).toEqual([2000, 2100]));
  it.each<[string, CalendarRanges['year'], string[]]>([
    ['every year if none is given', [], shown],
    ['every year if all are given, also those before', all(first, last), shown],
    ['every year if all are given by two ranges', [...all(first, 2060), ...all(2040, last)], shown],
    ['only those given if the last is missing', all(first, last - 1), ['2000', '2050', '2099']],
    ['only those given if the first is missing', all(first + 1, last), ['2050', '2099', '2100']],
    ['only those given, however often', [only(2050), only(2050)], ['2050']],
  ])('are %s', (_, ranges, expected) => {
    expect(years(ranges)).toEqual(expected);
  });
});

it('more values of a calendar take more steps', () => {
  const minutes = (count: number) => ({ ...every, minute: Array.from({ length: count }, () => all(0, 59)).flat() });
  const steps = (count: number) => stepsOf(() => calendarOfRanges(minutes(count)));
  expect(steps(11) - steps(1)).toBe(2 * 10 * 60);
  expect(steps(1)).toBeGreaterThan(200);
});
