import { describe, expect, it } from 'vitest';
import { calendarOf, range } from '../../../../core/occurrences/calendar/calendar-of';
import { readCron } from '../../../../core/occurrences/cron/cron-ours';
import { stepsOf } from '../../../../core/occurrences/steps';
import type { DstPolicy } from '../../../../core/schedule/spec';
import { refusalBy } from '../../../support/refusal';

const context = { path: 'spec.cron', scheduleId: undefined };
const read = (expression: unknown, dst: DstPolicy = 'ONCE') => readCron(expression, dst, context);

const ALL = {
  second: range(0, 59),
  minute: range(0, 59),
  hour: range(0, 23),
  dayOfMonth: range(1, 31),
  month: range(1, 12),
  dayOfWeek: range(0, 6),
};
const MIDNIGHT = { ...ALL, second: [0], minute: [0], hour: [0], once: true };

describe('an expression of spec.cron', () => {
  const values = { minute: [2], hour: [3], dayOfMonth: [4], month: [5], dayOfWeek: [6], either: true, once: true };
  it.each([
    ['5 fields are minute, hour, day of the month, month and day of the week', '2 3 4 5 6', { second: [0] }],
    ['6 fields have the second in front', '1 2 3 4 5 6', { second: [1] }],
    ['7 fields have the year behind', '1 2 3 4 5 6 2030-2032', { second: [1], year: [2030, 2031, 2032] }],
    ['any year is no year', '1 2 3 4 5 6 *', { second: [1] }],
  ])('has its fields in their order: %s', (_, expression, more) => {
    expect(read(expression)).toEqual(calendarOf({ ...values, ...more }));
  });

  it('keeps the days that are not given as numbers', () => {
    expect(read('0 0 1,L-2,15W,L-3W * 2,5L,1#3')).toEqual(
      calendarOf({
        ...MIDNIGHT,
        dayOfMonth: [1],
        lastDays: 1 << 2,
        nearDays: 1 << 14,
        nearLastDays: 1 << 3,
        dayOfWeek: [2],
        lastWeekdays: 1 << 5,
        nthWeekdays: [0, 0, 1 << 1, 0, 0],
        either: true,
      }),
    );
  });

  it.each([' 2 3 4 5 6', '2 3 4 5 6 ', '2  3   4 5 6', '2\t3\n4\r\n5 6', '\n2 3 4 5 6\n'])(
    'has any white space between its fields and around them: %j',
    (expression) => {
      expect(read(expression)).toEqual(read('2 3 4 5 6'));
    },
  );

  it('spreads by the ID of the schedule', () => {
    const hours = ['one', 'other', 'third'].map(
      (scheduleId) => readCron('0 H * * *', 'ONCE', { ...context, scheduleId }).hours,
    );
    expect(new Set(hours).size).toBeGreaterThan(1);
  });

  it.each([
    ['@yearly', { ...MIDNIGHT, dayOfMonth: [1], month: [1] }],
    ['@annually', { ...MIDNIGHT, dayOfMonth: [1], month: [1] }],
    ['@monthly', { ...MIDNIGHT, dayOfMonth: [1] }],
    ['@weekly', { ...MIDNIGHT, dayOfWeek: [0] }],
    ['@daily', MIDNIGHT],
    ['@midnight', MIDNIGHT],
    ['@hourly', { ...ALL, second: [0], minute: [0] }],
    ['@minutely', { ...ALL, second: [0] }],
    ['@secondly', ALL],
    ['@weekdays', { ...MIDNIGHT, dayOfWeek: [1, 2, 3, 4, 5] }],
    ['@weekends', { ...MIDNIGHT, dayOfWeek: [0, 6] }],
  ])('may be a macro, in any case: %s', (macro, values) => {
    expect(read(macro)).toEqual(calendarOf(values));
    expect(read(` ${macro.toUpperCase()} `)).toEqual(calendarOf(values));
  });

  it.each([
    ['0 0 1 * 5', true],
    ['0 0 L * 5L', true],
    ['0 0 1-31 * 0-6', true],
    ['0 0 */2 * */2', true],
    ['0 0 * * 5', false],
    ['0 0 ? * 5', false],
    ['0 0 */1 * 5', false],
    ['0 0 1 * *', false],
    ['0 0 1 * ?', false],
    ['0 0 1 * */1', false],
    ['0 0 * * *', false],
    ['0 0 * 5 *', false],
  ])('matches on either day only if both day fields are restricted: %s', (expression, either) => {
    expect(read(expression).either).toBe(either);
  });

  it.each<[string, DstPolicy, boolean]>([
    ['30 2 * * *', 'ONCE', true],
    ['0,30 2,3 * * *', 'ONCE', true],
    ['* 30 2 * * *', 'ONCE', true],
    ['30 2 */2 */2 */2', 'ONCE', true],
    ['30 2 * * *', 'LITERAL', false],
    ['*/30 2 * * *', 'ONCE', false],
    ['* 2 * * *', 'ONCE', false],
    ['30 * * * *', 'ONCE', false],
    ['30 */2 * * *', 'ONCE', false],
    ['30 0-23 * * *', 'ONCE', false],
    ['*/30 */2 * * *', 'ONCE', false],
    ['* * * * *', 'LITERAL', false],
  ])('fires once at a clock change for a fixed time under ONCE, not for a cadence: %s, %s', (expression, dst, once) => {
    expect(read(expression, dst).once).toBe(once);
  });

  it('costs two hundred steps, one for each character, and those of its items', () => {
    const fixed = stepsOf(() => read('0 0 1 1 0'));
    // The second that is not written is an item too.
    expect(fixed).toBe(200 + '0 0 1 1 0'.length + 6 * 53);
    expect(stepsOf(() => read('0 0 1 1 0'.padEnd(109)))).toBe(fixed + 100);
  });
});

describe('an expression of spec.cron that is refused', () => {
  const COUNTS = '5 (minute hour day-of-month month day-of-week), 6 (leading second) or 7 (trailing year) are allowed';
  const MACROS =
    '@yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly, @minutely, @secondly, @weekdays, @weekends are';

  it.each([
    [5, '5'],
    [null, 'null'],
    [{ cron: '* * * * *' }, '{"cron":"* * * * *"}'],
  ])('is not a text: %j', (expression, shown) => {
    expect(() => read(expression)).toThrow(`spec.cron: a cron expression is a string, not ${shown}`);
  });

  it.each([
    ['', '"" has 0 fields'],
    ['   ', '"   " has 0 fields'],
    ['5', '"5" has 1 field'],
    ['0 0 * *', '"0 0 * *" has 4 fields'],
    ['0 0 0 1 1 * 2030 5', '"0 0 0 1 1 * 2030 5" has 8 fields'],
  ])('has too few or too many fields: %j', (expression, problem) => {
    expect(() => read(expression)).toThrow(`spec.cron: ${problem}; ${COUNTS}`);
  });

  it('is longer than 1,024 characters', () => {
    expect(read('2 3 4 5 6'.padEnd(1024))).toEqual(read('2 3 4 5 6'));
    expect(() => read('2 3 4 5 6'.padEnd(1025))).toThrow('spec.cron: is longer than 1024 characters');
  });

  it.each(['TZ=Europe/Berlin 0 0 * * *', 'CRON_TZ=Europe/Berlin 0 0 * * *', ' TZ=UTC @daily'])(
    'has a time zone in front: %s',
    (expression) => {
      expect(() => read(expression)).toThrow(
        'spec.cron: a time zone in front is not supported here; write it in spec.timezone',
      );
    },
  );

  it.each([
    ['0 0 * * TZ=5', 'day-of-week "TZ" is not allowed'],
    ['XTZ=UTC 0 0 * *', 'minute "XTZ=UTC" is not allowed'],
  ])('has the problem of its field where a time zone stands elsewhere: %s', (expression, problem) => {
    expect(() => read(expression)).toThrow(problem);
  });

  it.each(['@every 5m', '@every', '@EVERY 1h/5m', ' @every 5m'])(
    'is for intervals, of which spec.intervals is told: %s',
    (expression) => {
      expect(() => read(expression)).toThrow(
        'spec.cron: @every is not supported here; spec.intervals is: [{ every: "5 minutes" }]',
      );
    },
  );

  it.each([
    ['@dayly', '"@dayly"', '; did you mean @daily?'],
    ['@Dayly', '"@Dayly"', '; did you mean @daily?'],
    ['@weekday', '"@weekday"', '; did you mean @weekdays?'],
    ['@', '"@"', ''],
    ['@daily 5', '"@daily 5"', '; did you mean @daily?'],
    ['@reboot twice @every', '"@reboot twice @every"', ''],
    ['@everything', '"@everything"', ''],
  ])('is no macro, and all macros are told: %s', (expression, shown, similar) => {
    expect(refusalBy(() => read(expression)).message).toBe(`spec.cron: ${shown} is not a macro; ${MACROS}${similar}`);
  });

  it('names the field of a year', () => {
    expect(() => read('0 0 0 1 1 * 1969')).toThrow('spec.cron: year "1969" is not allowed; 1970-2100');
  });
});
