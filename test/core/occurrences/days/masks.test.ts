import { describe, expect, it } from 'vitest';
import { masksOf, stretchesOf } from '../../../../core/occurrences/days/masks';
import { stepsOf } from '../../../../core/occurrences/steps';
import { Zone } from '../../../../core/occurrences/zones/zone';
import { zoneNamed } from '../../../../core/occurrences/zones/zones';
import type { ScheduleSpec } from '../../../../core/schedule/spec';

const DAY = 86_400_000;
type Ends = [from: string, to: string];

const utc = zoneNamed('UTC', 'zone');
const instant = (time: number) => (Number.isFinite(time) ? new Date(time).toISOString().slice(0, 16) : String(time));
const ends = (stretches: { from: number; to: number }[] | undefined) =>
  stretches?.map(({ from, to }): Ends => [instant(from), instant(to)]);
const days = (...dates: string[]) => dates.map((date) => Date.parse(date) / DAY);

describe('the instants of days', () => {
  it.each<[string, string[], Ends[]]>([
    ['no day', [], []],
    ['one day', ['2026-06-15'], [['2026-06-15T00:00', '2026-06-16T00:00']]],
    ['the first day', ['1970-01-01'], [['1970-01-01T00:00', '1970-01-02T00:00']]],
    ['days in a row', ['2026-06-14', '2026-06-15', '2026-06-16'], [['2026-06-14T00:00', '2026-06-17T00:00']]],
    [
      'days with a gap of one',
      ['2026-06-14', '2026-06-16'],
      [
        ['2026-06-14T00:00', '2026-06-15T00:00'],
        ['2026-06-16T00:00', '2026-06-17T00:00'],
      ],
    ],
    [
      'rows of days, and a single one behind them',
      ['2026-06-01', '2026-06-02', '2026-06-10', '2026-06-11', '2026-07-01'],
      [
        ['2026-06-01T00:00', '2026-06-03T00:00'],
        ['2026-06-10T00:00', '2026-06-12T00:00'],
        ['2026-07-01T00:00', '2026-07-02T00:00'],
      ],
    ],
  ])('are one range for each row of days: %s', (_, dates, expected) => {
    expect(ends(stretchesOf(days(...dates), utc))).toEqual(expected);
  });

  it.each<[zone: string, date: string, expected: Ends[]]>([
    ['Europe/Berlin', '2026-06-15', [['2026-06-14T22:00', '2026-06-15T22:00']]],
    ['America/New_York', '2026-01-15', [['2026-01-15T05:00', '2026-01-16T05:00']]],
    ['Asia/Kolkata', '2026-06-15', [['2026-06-14T18:30', '2026-06-15T18:30']]],
    ['Pacific/Kiritimati', '2026-06-15', [['2026-06-14T10:00', '2026-06-15T10:00']]],
    ['Pacific/Pago_Pago', '2026-06-15', [['2026-06-15T11:00', '2026-06-16T11:00']]],
    // A day of 23 hours, and one of 25.
    ['Europe/Berlin', '2026-03-29', [['2026-03-28T23:00', '2026-03-29T22:00']]],
    ['Europe/Berlin', '2026-10-25', [['2026-10-24T22:00', '2026-10-25T23:00']]],
    // East of Greenwich, the clock may change on the day before by UTC.
    ['Australia/Sydney', '2026-10-04', [['2026-10-03T14:00', '2026-10-04T13:00']]],
    ['Australia/Sydney', '2026-04-05', [['2026-04-04T13:00', '2026-04-05T14:00']]],
    // The clock goes from the end of 3 November 2018 to 01:00.
    ['America/Sao_Paulo', '2018-11-04', [['2018-11-04T03:00', '2018-11-05T02:00']]],
    // The clock goes back at the end of a day, so that its last hour repeats.
    ['America/Sao_Paulo', '2019-02-16', [['2019-02-16T02:00', '2019-02-17T03:00']]],
    ['America/Sao_Paulo', '2019-02-17', [['2019-02-17T03:00', '2019-02-18T03:00']]],
    // Samoa had no 30 December 2011.
    ['Pacific/Apia', '2011-12-29', [['2011-12-29T10:00', '2011-12-30T10:00']]],
    ['Pacific/Apia', '2011-12-30', []],
    ['Pacific/Apia', '2011-12-31', [['2011-12-30T10:00', '2011-12-31T10:00']]],
    // At 00:01 the clock goes back to 23:01 of the day before, whose last hour comes in a second part.
    [
      'America/St_Johns',
      '2010-11-06',
      [
        ['2010-11-06T02:30', '2010-11-07T02:30'],
        ['2010-11-07T02:31', '2010-11-07T03:30'],
      ],
    ],
    [
      'America/St_Johns',
      '2010-11-07',
      [
        ['2010-11-07T02:30', '2010-11-07T02:31'],
        ['2010-11-07T03:30', '2010-11-08T03:30'],
      ],
    ],
  ])('begin and end with the local day: %s %s', (zone, date, expected) => {
    expect(ends(stretchesOf(days(date), zoneNamed(zone, 'zone')))).toEqual(expected);
  });

  it('are one range where the parts of two days touch', () => {
    const zone = zoneNamed('America/St_Johns', 'zone');
    expect(ends(stretchesOf(days('2010-11-06', '2010-11-07'), zone))).toEqual([
      ['2010-11-06T02:30', '2010-11-08T03:30'],
    ]);
  });

  it('do not depend on which years of the zone were read before', () => {
    const zone = zoneNamed('Europe/Berlin', 'zone');
    const fresh = () =>
      new Zone('Europe/Berlin', (second) => {
        zone.cover(second);
        return zone.offset(second);
      });
    const far = days('1990-07-01', '2026-07-01', '2090-07-01');
    const used = fresh();
    for (const year of [2090, 1990, 2026]) used.cover(Date.UTC(year, 0, 1) / 1000);
    expect(stretchesOf(far, fresh())).toEqual(stretchesOf(far, used));
    expect(ends(stretchesOf(far, fresh()))![0]).toEqual(['1990-06-30T22:00', '1990-07-01T22:00']);
  });
});

it('the instants of an early day cost little, however many later years of the zone are known', () => {
  const zone = zoneNamed('Europe/Berlin', 'zone');
  for (const year of [1990, 2090]) zone.cover(Date.UTC(year, 0, 1) / 1000);
  expect(zone.starts.length).toBeGreaterThan(200);
  expect(stepsOf(() => stretchesOf(days('1990-07-01'), zone))).toBeLessThan(100);
});

describe('what the days of a spec leave out', () => {
  const of = (spec: ScheduleSpec, zone = utc) => ends(masksOf(spec, zone));

  it.each<[string, unknown]>([
    ['has no days', { cron: '0 2 * * *' }],
    ['has days without a value', { skipDays: null }],
    ['has calendars alone', { calendarDays: { a: '2026-12-25' } }],
  ])('is not defined where it %s', (_, spec) => {
    expect(masksOf(spec as ScheduleSpec, utc)).toBeUndefined();
  });

  it('is nothing where it skips nothing', () => {
    expect(of({ skipDays: [] })).toEqual([]);
  });

  it('is skipDays themselves', () => {
    expect(of({ skipDays: ['2026-12-28', '2026-12-25', '2026-12-26'] })).toEqual([
      ['2026-12-25T00:00', '2026-12-27T00:00'],
      ['2026-12-28T00:00', '2026-12-29T00:00'],
    ]);
  });

  it('is everything but onlyDays', () => {
    expect(of({ onlyDays: ['2026-12-28', '2026-12-25'] })).toEqual([
      ['-Infinity', '2026-12-25T00:00'],
      ['2026-12-26T00:00', '2026-12-28T00:00'],
      ['2026-12-29T00:00', 'Infinity'],
    ]);
  });

  it('is everything where onlyDays never come', () => {
    const everything = [['-Infinity', 'Infinity']];
    expect(of({ onlyDays: ['a'], calendarDays: { a: '' } })).toEqual(everything);
    expect(of({ onlyDays: ['2011-12-30'] }, zoneNamed('Pacific/Apia', 'zone'))).toEqual(everything);
  });

  it('is what either of both rules leaves out, with ranges that meet in one', () => {
    expect(
      of({
        onlyDays: ['2026-12-25', '2026-12-26', '2026-12-27', '2027-01-04'],
        skipDays: ['2026-12-26', '2027-01-04'],
      }),
    ).toEqual([
      ['-Infinity', '2026-12-25T00:00'],
      ['2026-12-26T00:00', '2026-12-27T00:00'],
      ['2026-12-28T00:00', 'Infinity'],
    ]);
  });

  it('is the longer of two ranges, where one lies within the other', () => {
    expect(of({ onlyDays: ['2026-12-25', '2027-12-25'], skipDays: ['2027-06-01'] })).toEqual([
      ['-Infinity', '2026-12-25T00:00'],
      ['2026-12-26T00:00', '2027-12-25T00:00'],
      ['2027-12-26T00:00', 'Infinity'],
    ]);
  });
});

describe('schedules with the same zone and days', () => {
  const spec = (day: string): ScheduleSpec => ({ skipDays: ['a'], calendarDays: { a: day } });

  it('share what is left out, whatever else they do', () => {
    const masks = masksOf({ ...spec('2001-01-01'), cron: '0 2 * * *' }, utc);
    expect(masksOf({ ...spec('2001-01-01'), cron: '0 3 * * *' }, utc)).toBe(masks);
  });

  it.each<[string, ScheduleSpec, string]>([
    ['zone', spec('2001-01-02'), 'Asia/Tokyo'],
    ['days of the calendar', spec('2001-01-03'), 'UTC'],
    ['entries', { ...spec('2001-01-02'), skipDays: ['2001-01-04'] }, 'UTC'],
    ['rule', { onlyDays: ['a'], calendarDays: { a: '2001-01-02' } }, 'UTC'],
  ])('do not share it with others of another %s', (_, other, zone) => {
    const one = ends(masksOf(spec('2001-01-02'), utc));
    expect(ends(masksOf(other, zoneNamed(zone, 'zone')))).not.toEqual(one);
  });

  it('share it until 200 others came, and the oldest is dropped first', () => {
    const dateAt = (index: number) => new Date(Date.UTC(2002, 0, 1) + index * DAY).toISOString().slice(0, 10);
    const ask = (index: number) => masksOf(spec(dateAt(index)), utc);
    const isKnown = (index: number) => stepsOf(() => ask(index)) === 0;
    for (let index = 0; index < 200; index++) ask(index);
    expect([0, 1, 199].map(isKnown)).toEqual([true, true, true]);
    ask(200);
    expect([1, 199, 200].map(isKnown)).toEqual([true, true, true]);
    expect(isKnown(0)).toBe(false);
  });
});
