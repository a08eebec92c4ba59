import { describe, expect, it } from 'vitest';
import { compileSpec, nextOccurrences } from '../../../core/occurrences';
import type { CalendarSpec, ScheduleSpec } from '../../../core/schedule/spec';

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

const nextOf = (spec: ScheduleSpec) => nextOccurrences(spec, { after: new Date('2025-12-31T23:00:00Z'), count: 1 })[0];

describe('a name', () => {
  it.each(MONTHS.map((name, index) => [name, index] as const))(
    '%s is a month, in each part of a spec',
    (name, index) => {
      const first = new Date(Date.UTC(2026, index, 1));
      expect(nextOf({ cron: `0 0 1 ${name} *` })).toEqual(first);
      expect(nextOf({ cron: `0 0 1 ${name.slice(0, 3)} *` })).toEqual(first);
      expect(nextOf({ cronExpressions: [`0 0 1 ${name} *`] })).toEqual(first);
      expect(nextOf({ calendars: [{ month: name.toUpperCase(), dayOfMonth: 1 } as CalendarSpec] })).toEqual(first);
    },
  );

  it.each(DAYS.map((name, index) => [name, index] as const))(
    '%s is a weekday, in each part of a spec',
    (name, index) => {
      // 4 January 2026 is a Sunday, and the year begins with a Thursday.
      const first = new Date(Date.UTC(2026, 0, index < 4 ? 4 + index : index - 3));
      expect(nextOf({ cron: `0 0 * * ${name}` })).toEqual(first);
      expect(nextOf({ cron: `0 0 * * ${name.slice(0, 3)}` })).toEqual(first);
      expect(nextOf({ cronExpressions: [`0 0 * * ${name}`] })).toEqual(first);
      expect(nextOf({ calendars: [{ dayOfWeek: name.toUpperCase() } as CalendarSpec] })).toEqual(first);
    },
  );
});

it.each([
  ['second', 'x 0 0 1 1 * *'],
  ['minute', '0 x 0 1 1 * *'],
  ['hour', '0 0 x 1 1 * *'],
  ['day-of-month', '0 0 0 x 1 * *'],
  ['month', '0 0 0 1 x * *'],
  ['day-of-week', '0 0 0 1 1 x *'],
  ['year', '0 0 0 1 1 * x'],
])('a refusal names the field %s', (label, expression) => {
  expect(() => compileSpec({ cron: expression })).toThrow(`spec.cron: ${label} "`);
  expect(() => compileSpec({ cronExpressions: [expression] })).toThrow(`spec.cronExpressions[0]: ${label} "`);
});

it.each<[field: string, first: string, last: string, before: string | undefined, after: string]>([
  ['second', '0 * * * * * *', '59 * * * * * *', undefined, '60 * * * * * *'],
  ['minute', '0 0 * * * * *', '0 59 * * * * *', undefined, '0 60 * * * * *'],
  ['hour', '0 0 0 * * * *', '0 0 23 * * * *', undefined, '0 0 24 * * * *'],
  ['day-of-month', '0 0 0 1 * * *', '0 0 0 31 * * *', '0 0 0 0 * * *', '0 0 0 32 * * *'],
  ['month', '0 0 0 1 1 * *', '0 0 0 1 12 * *', '0 0 0 1 0 * *', '0 0 0 1 13 * *'],
  ['day-of-week', '0 0 0 * * 0 *', '0 0 0 * * 7 *', undefined, '0 0 0 * * 8 *'],
  ['year', '0 0 0 1 1 * 1970', '0 0 0 1 1 * 2100', '0 0 0 1 1 * 1969', '0 0 0 1 1 * 2101'],
])('the field %s takes its first and its last value, and none beyond', (_, first, last, before, after) => {
  expect(() => compileSpec({ cron: [first, last] })).not.toThrow();
  for (const outside of [before, after]) {
    if (outside !== undefined) expect(() => compileSpec({ cron: outside })).toThrow('is not allowed');
  }
});
