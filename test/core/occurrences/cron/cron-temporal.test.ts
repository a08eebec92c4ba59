import { describe, expect, it } from 'vitest';
import { readTemporalCron } from '../../../../core/occurrences/cron/cron-temporal';
import { type FieldRange, only } from '../../../../core/occurrences/ranges';
import { stepsOf } from '../../../../core/occurrences/steps';
import { refusalBy } from '../../../support/refusal';

const PATH = 'spec.cronExpressions[1]';
const read = (expression: unknown) => readTemporalCron(expression, PATH);
const refusal = (expression: unknown) => refusalBy(() => read(expression)).message;

const to = (start: number, end: number, step = 1): FieldRange => ({ start, end, step });
const ANY = {
  second: [only(0)],
  minute: [to(0, 59)],
  hour: [to(0, 23)],
  dayOfMonth: [to(1, 31)],
  month: [to(1, 12)],
  dayOfWeek: [to(0, 6)],
  year: [],
  comment: '',
};
const MIDNIGHT = { ...ANY, minute: [only(0)], hour: [only(0)] };

/** All spaces of Go's `unicode.IsSpace`. */
const SPACES = '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2005\u200a\u2028\u2029\u202f\u205f\u3000';

describe("an expression in Temporal's dialect", () => {
  const date = {
    minute: [only(2)],
    hour: [only(3)],
    dayOfMonth: [only(4)],
    month: [only(5)],
    dayOfWeek: [only(6)],
    comment: '',
  };
  it.each([
    ['5 fields are minute, hour, day of the month, month and day of the week', '2 3 4 5 6', [only(0)], []],
    ['6 fields have the year behind', '2 3 4 5 6 2030', [only(0)], [only(2030)]],
    ['7 fields have the second in front too', '1 2 3 4 5 6 2030', [only(1)], [only(2030)]],
    ['any year is no year', '1 2 3 4 5 6 *', [only(1)], []],
    ['6 fields may have any year', '2 3 4 5 6 *', [only(0)], []],
  ])('has its fields in their order: %s', (_, expression, second, year) => {
    expect(read(expression)).toEqual({ calendar: { ...date, second, year }, timezone: '' });
  });

  it('has every value where it has wildcards, the seconds only where they are written', () => {
    expect(read('* * * * *')).toEqual({ calendar: ANY, timezone: '' });
    expect(read('* * * * * * *')).toEqual({ calendar: { ...ANY, second: [to(0, 59)] }, timezone: '' });
  });

  it.each([...SPACES].map((space) => [space.charCodeAt(0).toString(16), space]))(
    'has spaces as Go knows them around it and between its fields: %s',
    (_, space) => {
      const spaces = space.repeat(2);
      expect(read(`${spaces}2${spaces}3${space}4 5 6${spaces}`)).toEqual(read('2 3 4 5 6'));
    },
  );

  it.each(['\ufeff', '\u200b', '\u180e', '_'])('has no other characters for spaces: %j', (character) => {
    expect(refusal(`${character}2 3 4 5 6`)).toContain('is not in the range 0-59');
    expect(refusal(`2 3 4 5 6${character}`)).toContain('is not in the range 0-7');
  });

  it.each([
    ['@yearly', { ...MIDNIGHT, dayOfMonth: [only(1)], month: [only(1)] }],
    ['@annually', { ...MIDNIGHT, dayOfMonth: [only(1)], month: [only(1)] }],
    ['@monthly', { ...MIDNIGHT, dayOfMonth: [only(1)] }],
    ['@weekly', { ...MIDNIGHT, dayOfWeek: [only(0)] }],
    ['@daily', MIDNIGHT],
    ['@midnight', MIDNIGHT],
    ['@hourly', { ...ANY, minute: [only(0)] }],
  ])('may be a macro, with a zone and a comment: %s', (macro, calendar) => {
    expect(read(` ${macro} `)).toEqual({ calendar, timezone: '' });
    expect(read(`TZ=Asia/Tokyo ${macro} # why`)).toEqual({
      calendar: { ...calendar, comment: 'why' },
      timezone: 'Asia/Tokyo',
    });
  });

  it.each(['@Daily', '@minutely', '@secondly', '@weekdays', '@weekends', '@daily 5', 'daily', '@', ''])(
    'is no macro that the server does not know: %j',
    (expression) => {
      expect(refusal(expression)).toBe(
        `${PATH}: ${JSON.stringify(expression)} does not have 5, 6 (trailing year) or 7 (leading second) fields`,
      );
    },
  );

  it.each(['2 3 4 5', '1 2 3 4 5 6 2030 8', '   ', '# 2 3 4 5', '#'])(
    'has 5, 6 or 7 fields, as the refusal says with the whole expression: %j',
    (expression) => {
      expect(refusal(expression)).toBe(
        `${PATH}: "${expression}" does not have 5, 6 (trailing year) or 7 (leading second) fields`,
      );
    },
  );

  it.each([5, null, undefined])('is a text: %j', (expression) => {
    expect(refusal(expression)).toBe(`${PATH}: is a string, not ${expression}`);
  });

  it('has 4,096 characters at most', () => {
    expect(read('2 3 4 5 6'.padEnd(4096))).toEqual(read('2 3 4 5 6'));
    expect(refusal('2 3 4 5 6'.padEnd(4097))).toBe(`${PATH}: is longer than 4096 characters`);
  });

  it('costs a step for each character and a hundred for each item', () => {
    const fixed = stepsOf(() => read('2 3 4 5 6'));
    expect(fixed).toBe(9 + 6 * 100);
    expect(stepsOf(() => read('2 3 4 5 6'.padEnd(109)))).toBe(fixed + 100);
    expect(stepsOf(() => read('2,4 3 4 5 *'))).toBe(fixed + 2 + 100);
  });
});

describe('a time zone in front', () => {
  it.each([
    ['CRON_TZ=Asia/Tokyo 2 3 4 5 6', 'Asia/Tokyo'],
    ['TZ=Asia/Tokyo 2 3 4 5 6', 'Asia/Tokyo'],
    ['  TZ=Asia/Tokyo   2 3 4 5 6', 'Asia/Tokyo'],
    ['TZ= 2 3 4 5 6', ''],
    ['TZ=Etc/A=B 2 3 4 5 6', 'Etc/A=B'],
  ])('is read to the first space, without its check: %j', (expression, timezone) => {
    expect(read(expression)).toEqual({ ...read('2 3 4 5 6'), timezone });
  });

  it.each(['TZ=UTC', 'CRON_TZ=Europe/Berlin', ' TZ='])('needs fields behind it: %j', (expression) => {
    expect(refusal(expression)).toBe(`${PATH}: has a time zone and no fields`);
  });

  it.each([
    ['tz=UTC 3 4 5 6', 'minute "tz=UTC" is not'],
    ['XTZ=UTC 3 4 5 6', 'minute "XTZ=UTC" is not'],
    ['2 3 4 5 TZ=UTC', 'day-of-week "TZ=UTC" is not'],
  ])('is in capitals and in front, else it is a bad field: %s', (expression, problem) => {
    expect(refusal(expression)).toContain(problem);
  });
});

describe('a comment', () => {
  const comment = (expression: string) => read(expression).calendar?.comment;
  it.each([
    ['2 3 4 5 6 # lunch', 'lunch'],
    ['2 3 4 5 6#lunch', 'lunch'],
    ['2 3 4 5 6 #  two  words  ', 'two  words'],
    ['2 3 4 5 6 #\u3000lunch\u0085', 'lunch'],
    ['2 3 4 5 6 # a # b', 'a # b'],
    ['2 3 4 5 6 #', ''],
    ['2 3 4 5 6 #   ', ''],
    ['2 3 4 5 6', ''],
    ['TZ=UTC 2 3 4 5 6 # TZ=Asia/Tokyo', 'TZ=Asia/Tokyo'],
  ])('begins at the first # and has no spaces around it: %j', (expression, expected) => {
    expect(comment(expression)).toBe(expected);
    expect(read(expression).calendar).toEqual({ ...read('2 3 4 5 6').calendar, comment: expected });
  });

  it.each([
    ['x', 200],
    ['ä', 100],
    ['€', 66],
  ])('has 200 bytes at most: of %s there may be %d', (character, count) => {
    expect(comment(`2 3 4 5 6 # ${character.repeat(count)} `)).toBe(character.repeat(count));
    expect(refusal(`2 3 4 5 6 # ${character.repeat(count + 1)}`)).toBe(`${PATH}: the comment is longer than 200 bytes`);
  });
});

describe('@every', () => {
  const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
  it.each([
    ['@every 5h', 5 * HOUR, 0],
    ['@every 5h/45m', 5 * HOUR, 45 * MINUTE],
    ['@every 1h30m/1m30s', 90 * MINUTE, 90 * SECOND],
    ['@every 5h/', 5 * HOUR, 0],
    ['@every 5h/0', 5 * HOUR, 0],
    ['  @every 5h  ', 5 * HOUR, 0],
    ['@every 5h/45m # why', 5 * HOUR, 45 * MINUTE],
    ['@every/x 5h', 5 * HOUR, 0],
  ])('is an interval with its phase, without a comment: %s', (expression, every, offset) => {
    expect(read(expression)).toEqual({ interval: { every, offset }, timezone: '' });
  });

  it.each(['CRON_TZ=Europe/Berlin @every 5h', 'TZ=Asia/Tokyo  @every 5h'])(
    'loses its time zone, as on the server: %s',
    (expression) => {
      expect(read(expression)).toEqual({ interval: { every: 5 * HOUR, offset: 0 }, timezone: '' });
    },
  );

  it.each(['@every', '@every ', '@every5h', '@every # 5h'])('needs an interval: %j', (expression) => {
    expect(refusal(expression)).toBe(`${PATH}: has no interval after @every`);
  });

  it.each([
    ['@every 5x', '"5x"'],
    ['@every 5', '"5"'],
    ['@every  5h', '" 5h"'],
    ['@every /5m', '""'],
    ['@every 5h/x', '"x"'],
    ['@every 5h/1m/1s', '"1m/1s"'],
    ['@every 5h 5m', '"5h 5m"'],
  ])("needs durations in Go's syntax: %s", (expression, shown) => {
    expect(refusal(expression)).toBe(
      `${PATH}: ${shown} is not a duration; a number with one of ms, s, m, h, d is (90m, 1h30m)`,
    );
  });

  it.each(['@Every 5h', 'every 5h'])('is in small letters, with its sign: %s', (expression) => {
    expect(refusal(expression)).toContain('does not have 5');
  });
});
