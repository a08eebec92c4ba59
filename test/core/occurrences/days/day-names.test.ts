import { describe, expect, it } from 'vitest';
import { isCalendarName, namesDays } from '../../../../core/occurrences/days/day-names';
import type { ScheduleSpec } from '../../../../core/schedule/spec';

describe('the name of a calendar', () => {
  it.each([
    'a',
    'Z',
    'de-holidays',
    'bank_days.2026',
    'a-',
    'a.',
    'a1',
    'Feiertage-Österreich',
    'é',
    '祝日',
    'a²',
    'aⅣ',
  ])('is a letter, then letters, digits, -, _ and .: %s', (name) => {
    expect(isCalendarName(name)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['a date', '2026-12-25'],
    ['a digit first', '1st'],
    ['an option', '-a'],
    ['a point first', '.a'],
    ['an underscore first', '_a'],
    ['two names', 'a b'],
    ['two names with a comma', 'a,b'],
    ['a space behind it', 'a '],
    ['a space before it', ' a'],
    ['a line break behind it', 'a\n'],
    ['a slash', 'a/b'],
    ['an emoji', 'a😀'],
  ])('is not %s', (_, name) => {
    expect(isCalendarName(name)).toBe(false);
  });

  it('has 100 bytes at most', () => {
    expect(isCalendarName('a'.repeat(100))).toBe(true);
    expect(isCalendarName('a'.repeat(101))).toBe(false);
    expect(isCalendarName('ä'.repeat(50))).toBe(true);
    expect(isCalendarName(`${'ä'.repeat(50)}a`)).toBe(false);
  });

  it.each([[7], [true], [null], [undefined], [{}], [['a']]])('is a text, and not %j', (value) => {
    expect(isCalendarName(value)).toBe(false);
  });
});

describe('a spec', () => {
  it.each<[string, unknown]>([
    ['skipDays', { skipDays: ['2026-12-25'] }],
    ['onlyDays', { onlyDays: ['2026-12-25'] }],
    ['both', { skipDays: ['a'], onlyDays: ['b'] }],
    ['one entry without a list', { skipDays: 'a' }],
    ['an empty list', { skipDays: [] }],
    ['onlyDays beside skipDays from JSON without a value', { skipDays: null, onlyDays: ['a'] }],
  ])('names days by %s', (_, spec) => {
    expect(namesDays(spec as ScheduleSpec)).toBe(true);
  });

  it.each<[string, unknown]>([
    ['without either field', { cron: '0 2 * * *' }],
    ['with fields that are undefined', { skipDays: undefined, onlyDays: undefined }],
    ['with fields that are null', { skipDays: null, onlyDays: null }],
    ['with calendarDays alone', { calendarDays: { a: '2026-12-25' } }],
  ])('names none %s', (_, spec) => {
    expect(namesDays(spec as ScheduleSpec)).toBe(false);
  });
});
