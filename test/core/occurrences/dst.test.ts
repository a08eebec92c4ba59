import { describe, expect, it } from 'vitest';
import { ownCalendars } from '../../../core/occurrences/compile';
import { nextOf, previousOf, showsAt } from '../../../core/occurrences/dst';
import { stepsOf } from '../../../core/occurrences/steps';
import { Zone } from '../../../core/occurrences/zones/zone';
import { zoneNamed } from '../../../core/occurrences/zones/zones';

const RULES = ['ONCE', 'LITERAL'] as const;
const HOUR = 3600;

const secondOf = (time: string) => Date.parse(`${time}Z`) / 1000;
const timeOf = (second: number) => new Date(second * 1000).toISOString().slice(0, 19);
const calendarOf = (cron: string, dst: 'ONCE' | 'LITERAL') => ownCalendars({ cron, dst }, 'nightly')[0]!;

/** A day of a zone with a clock change: its beginning and end in UTC, and the zone. */
const BERLIN_FORWARD = ['Europe/Berlin', '2026-03-28T23:00', '2026-03-29T22:00'] as const;
const BERLIN_BACK = ['Europe/Berlin', '2026-10-24T22:00', '2026-10-25T23:00'] as const;
/** The clock goes from 02:00 to 02:30, and from 02:00 back to 01:30. */
const LORD_HOWE_FORWARD = ['Australia/Lord_Howe', '2026-10-03T13:30', '2026-10-04T13:00'] as const;
const LORD_HOWE_BACK = ['Australia/Lord_Howe', '2026-04-04T13:00', '2026-04-05T13:30'] as const;
/** The clock goes from midnight to 01:00. */
const SAO_PAULO_FORWARD = ['America/Sao_Paulo', '2018-11-03T03:00', '2018-11-05T02:00'] as const;
/** The clock goes from midnight back to 23:00, so that the day before has 25 hours. */
const SAO_PAULO_BACK = ['America/Sao_Paulo', '2019-02-16T02:00', '2019-02-17T03:00'] as const;
/** December 30th is missing. */
const APIA = ['Pacific/Apia', '2011-12-29T10:00', '2011-12-31T10:00'] as const;

type Day = readonly [zone: string, from: string, to: string];

/** The occurrences of `cron` on each day, by both rules, in UTC. */
const CASES: [cron: string, day: Day, once: string[], literal: string[]][] = [
  // Times before, in and after the missing hour, with both of its ends.
  ['59 1 * * *', BERLIN_FORWARD, ['03-29T00:59'], ['03-29T00:59']],
  ['0 2 * * *', BERLIN_FORWARD, ['03-29T01:00'], []],
  ['30 2 * * *', BERLIN_FORWARD, ['03-29T01:00'], []],
  ['59 59 2 * * *', BERLIN_FORWARD, ['03-29T01:00'], []],
  ['0 3 * * *', BERLIN_FORWARD, ['03-29T01:00'], ['03-29T01:00']],
  ['1 3 * * *', BERLIN_FORWARD, ['03-29T01:01'], ['03-29T01:01']],
  // All missing times, and a time that follows at once, make one occurrence.
  ['0,30,59 2 * * *', BERLIN_FORWARD, ['03-29T01:00'], []],
  ['0 2,3 * * *', BERLIN_FORWARD, ['03-29T01:00'], ['03-29T01:00']],
  ['30 1,2,3 * * *', BERLIN_FORWARD, ['03-29T00:30', '03-29T01:00', '03-29T01:30'], ['03-29T00:30', '03-29T01:30']],
  // Times before, in and after the repeated hour, with both of its ends.
  ['59 1 * * *', BERLIN_BACK, ['10-24T23:59'], ['10-24T23:59']],
  ['0 2 * * *', BERLIN_BACK, ['10-25T00:00'], ['10-25T00:00', '10-25T01:00']],
  ['30 2 * * *', BERLIN_BACK, ['10-25T00:30'], ['10-25T00:30', '10-25T01:30']],
  ['59 2 * * *', BERLIN_BACK, ['10-25T00:59'], ['10-25T00:59', '10-25T01:59']],
  ['0 3 * * *', BERLIN_BACK, ['10-25T02:00'], ['10-25T02:00']],
  // The time recurs only after a year, so that the search must not pass over the repeated hour.
  ['30 2 25 10 *', BERLIN_BACK, ['10-25T00:30'], ['10-25T00:30', '10-25T01:30']],
  [
    '0,40 2 25 10 *',
    BERLIN_BACK,
    ['10-25T00:00', '10-25T00:40'],
    ['10-25T00:00', '10-25T00:40', '10-25T01:00', '10-25T01:40'],
  ],
  // A wildcard or a step is a cadence, which follows the clock under both rules.
  ['*/30 2 * * *', BERLIN_FORWARD, [], []],
  [
    '*/30 2 * * *',
    BERLIN_BACK,
    ['10-25T00:00', '10-25T00:30', '10-25T01:00', '10-25T01:30'],
    ['10-25T00:00', '10-25T00:30', '10-25T01:00', '10-25T01:30'],
  ],
  // Changes by half an hour.
  ['15 2 * * *', LORD_HOWE_FORWARD, ['10-03T15:30'], []],
  ['30 2 * * *', LORD_HOWE_FORWARD, ['10-03T15:30'], ['10-03T15:30']],
  ['29 1 * * *', LORD_HOWE_BACK, ['04-04T14:29'], ['04-04T14:29']],
  ['30 1 * * *', LORD_HOWE_BACK, ['04-04T14:30'], ['04-04T14:30', '04-04T15:00']],
  ['45 1 * * *', LORD_HOWE_BACK, ['04-04T14:45'], ['04-04T14:45', '04-04T15:15']],
  ['0 2 * * *', LORD_HOWE_BACK, ['04-04T15:30'], ['04-04T15:30']],
  // Changes at midnight.
  ['0 0 * * *', SAO_PAULO_FORWARD, ['11-03T03:00', '11-04T03:00'], ['11-03T03:00']],
  ['0 0 4 11 *', SAO_PAULO_FORWARD, ['11-04T03:00'], []],
  ['30 23 * * *', SAO_PAULO_BACK, ['02-17T01:30'], ['02-17T01:30', '02-17T02:30']],
  ['0 0 17 2 *', SAO_PAULO_BACK, [], []],
  // A day that is missing.
  ['0 9 * * *', APIA, ['12-29T19:00', '12-30T10:00', '12-30T19:00'], ['12-29T19:00', '12-30T19:00']],
  ['0 0 * * *', APIA, ['12-29T10:00', '12-30T10:00'], ['12-29T10:00', '12-30T10:00']],
];

describe.each(RULES)('around a change of the clock, under the rule %s', (rule) => {
  it.each(CASES)('%s on the day %j: the next and the last occurrence from each instant', (cron, day, once, literal) => {
    const [name, begins, ends] = day;
    const [from, to] = [secondOf(begins), secondOf(ends) - 1];
    const year = begins.slice(0, 5);
    const expected = (rule === 'ONCE' ? once : literal).map((time) => secondOf(`${year}${time}`));
    const calendar = calendarOf(cron, rule);
    const zone = zoneNamed(name, 'spec.timezone');
    const asked = expected.flatMap((second) => [second - 1, second, second + 1]);
    for (let second = from; second <= to; second += HOUR / 4) asked.push(second);
    const inside = (second: number) => (second >= from && second <= to ? timeOf(second) : 'another day');
    const toText = (second: number | undefined) => (second === undefined ? 'another day' : timeOf(second));
    expect(
      asked.map((at) => [timeOf(at), inside(nextOf(calendar, zone, at)), inside(previousOf(calendar, zone, at))]),
    ).toEqual(
      asked.map((at) => [
        timeOf(at),
        toText(expected.find((second) => second >= at)),
        toText(expected.findLast((second) => second <= at)),
      ]),
    );
  });
});

/** A zone with one change of its offset, from `before` to `after` hours, whose years are not read yet. */
function zoneOf(change: string, before: number, after: number): Zone {
  return new Zone('Test/Zone', (second) => (second < secondOf(change) ? before : after) * HOUR);
}

describe.each(RULES)('far from the instant that is asked about, under the rule %s', (rule) => {
  const winter = secondOf('2026-01-15T00:00');
  const summer = secondOf('2026-07-15T00:00');
  const berlin = zoneNamed('Europe/Berlin', 'spec.timezone');

  it.each([
    ['0 12 1 7 *', '2026-07-01T10:00'],
    ['0 12 1 12 *', '2026-12-01T11:00'],
    ['0 0 12 1 7 * 2030', '2030-07-01T10:00'],
    ['0 0 29 2 *', '2028-02-28T23:00'],
  ])('the next of %s has the offset of its own time', (cron, time) => {
    expect(timeOf(nextOf(calendarOf(cron, rule), berlin, winter))).toBe(`${time}:00`);
  });

  it.each([
    ['0 12 1 7 *', '2026-07-01T10:00'],
    ['0 12 1 12 *', '2025-12-01T11:00'],
    ['0 0 12 1 7 * 2020', '2020-07-01T10:00'],
    ['0 0 29 2 *', '2024-02-28T23:00'],
  ])('the last of %s has the offset of its own time', (cron, time) => {
    expect(timeOf(previousOf(calendarOf(cron, rule), berlin, summer))).toBe(`${time}:00`);
  });

  it('a change of years that are not read yet counts', () => {
    const noon = (year: number) => calendarOf(`0 0 12 1 7 * ${year}`, rule);
    expect(timeOf(nextOf(noon(2040), zoneOf('2035-01-01T00:00', 1, 3), winter))).toBe('2040-07-01T09:00:00');
    expect(timeOf(previousOf(noon(2010), zoneOf('2015-01-01T00:00', 1, 3), winter))).toBe('2010-07-01T11:00:00');
  });

  it.each([
    ['0 0 30 2 *', 'a day that never comes'],
    ['0 0 0 1 1 * 2025', 'a year gone by'],
  ])('the next of %s is none: %s', (cron) => {
    expect(nextOf(calendarOf(cron, rule), berlin, winter)).toBeNaN();
  });

  it.each([
    ['0 0 30 2 *', 'a day that never comes'],
    ['0 0 0 1 1 * 2027', 'a year to come'],
  ])('the last of %s is none: %s', (cron) => {
    expect(previousOf(calendarOf(cron, rule), berlin, summer)).toBeNaN();
  });

  it('a rare time takes few steps, however often the clock changes before it', () => {
    const steps = (work: () => number, time: string) => stepsOf(() => expect(timeOf(work())).toBe(time));
    const [later, earlier] = [calendarOf('0 0 12 1 7 * 2090', rule), calendarOf('0 0 12 1 7 * 1975', rule)];
    // Each month that is searched takes three steps.
    expect(steps(() => nextOf(later, berlin, winter), '2090-07-01T10:00:00')).toBeLessThan(4_000);
    expect(steps(() => previousOf(earlier, berlin, winter), '1975-07-01T11:00:00')).toBeLessThan(4_000);
  });
});

it.each([
  ['2026-03-29T00:59:59', '01:59:59'],
  ['2026-03-29T01:00', '03:00:00'],
  ['2026-10-25T00:30', '02:30:00'],
  ['2026-10-25T01:30', '02:30:00'],
  ['2026-10-25T02:30', '03:30:00'],
])('at %s the clock in Berlin shows %s, whatever the rule', (time, shown) => {
  const berlin = zoneNamed('Europe/Berlin', 'spec.timezone');
  const [hour, minute, second] = shown.split(':').map(Number);
  for (const rule of RULES) {
    const isShown = (cron: string) => showsAt(calendarOf(cron, rule), berlin, secondOf(time));
    expect(isShown(`${second} ${minute} ${hour} * * *`)).toBe(true);
    expect(isShown(`${second} ${minute} ${hour! - 1} * * *`)).toBe(false);
    expect(isShown(`${second} ${minute} ${hour! + 1} * * *`)).toBe(false);
    expect(isShown(`${second} ${minute} ${hour} 1 * *`)).toBe(false);
  }
});
