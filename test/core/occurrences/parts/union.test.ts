import { describe, expect, it } from 'vitest';
import { CalendarGroup } from '../../../../core/occurrences/calendar/calendar-group';
import { FIRST_SECOND, LAST_SECOND } from '../../../../core/occurrences/civil';
import type { Parts } from '../../../../core/occurrences/parts';
import { ServerGroup } from '../../../../core/occurrences/server/server-group';
import { stepsOf } from '../../../../core/occurrences/steps';
import { nextOfUnion, previousOfUnion, recursAt, skipped } from '../../../../core/occurrences/union';
import { zoneNamed } from '../../../../core/occurrences/zones/zones';
import { calendarOfCron } from '../server/temporal-clock';

const DAY = Date.UTC(2026, 5, 1) / 1000;
const clock = (text: string) => Date.parse(`2026-06-01T${text}Z`) / 1000 - DAY;
const shown = (second: number) =>
  Number.isNaN(second) ? 'none' : new Date((DAY + second) * 1000).toISOString().slice(5, 16);

interface Given {
  own?: string[];
  server?: string[];
  intervals?: Parts['intervals'];
  instants?: string[];
  skip?: string[];
  zone?: string;
}

function partsOf({ own = [], server, intervals = [], instants = [], skip = [], zone: name = 'UTC' }: Given): Parts {
  const zone = zoneNamed(name, 'zone');
  const calendars = { own: own.map(calendarOfCron), server: (server ?? []).map(calendarOfCron) };
  return {
    zone,
    calendars: [...calendars.own, ...calendars.server],
    own: new CalendarGroup(calendars.own, zone),
    server: server && new ServerGroup(zone, calendars.server, intervals, FIRST_SECOND),
    skip: skip.map(calendarOfCron),
    intervals,
    instants: instants.map((text) => DAY + clock(text)),
    first: FIRST_SECOND,
    last: LAST_SECOND,
  };
}

const daily = (hour: number) => `0 0 ${hour} * * * *`;
const interval = { every: 86_400, phase: 9 * 3600 };
/** A time of each kind: 06:00 and 12:00 of expressions, 09:00 of an interval, 10:00 and 20:00 by themselves. */
const all: Given = {
  own: [daily(6)],
  // 14:00 in Berlin.
  server: [daily(14)],
  zone: 'Europe/Berlin',
  intervals: [interval],
  instants: ['10:00:00', '20:00:00'],
};

describe('the union of the parts of a spec', () => {
  it.each([
    ['before all', '03:00:00', '06-01T04:00', '05-31T12:00'],
    ['at an own time, 06:00 in Berlin', '04:00:00', '06-01T04:00', '06-01T04:00'],
    ['after an own time', '04:00:01', '06-01T09:00', '06-01T04:00'],
    ['at a time of an interval', '09:00:00', '06-01T09:00', '06-01T09:00'],
    ['after a time of an interval', '09:00:01', '06-01T10:00', '06-01T09:00'],
    ['at an instant', '10:00:00', '06-01T10:00', '06-01T10:00'],
    ['after an instant', '10:00:01', '06-01T12:00', '06-01T10:00'],
    ['at a time of the server', '12:00:00', '06-01T12:00', '06-01T12:00'],
    ['after a time of the server', '12:00:01', '06-01T20:00', '06-01T12:00'],
    ['after the last instant', '20:00:01', '06-02T04:00', '06-01T20:00'],
  ])('has the nearest time of all parts, seen from %s', (_, asked, next, previous) => {
    const parts = partsOf(all);
    expect(shown(nextOfUnion(parts, DAY + clock(asked)) - DAY)).toBe(next);
    expect(shown(previousOfUnion(parts, DAY + clock(asked)) - DAY)).toBe(previous);
  });

  it.each<[string, Given, string, string]>([
    ['nothing', {}, 'none', 'none'],
    ['an instant gone by', { instants: ['10:00:00'] }, 'none', '06-01T10:00'],
    ['an instant ahead', { instants: ['14:00:00'] }, '06-01T14:00', 'none'],
    ['an instant now', { instants: ['12:00:00'] }, '06-01T12:00', '06-01T12:00'],
    ['calendars alone', { own: [daily(5), daily(15), daily(11)] }, '06-01T15:00', '06-01T11:00'],
    ['a calendar of a year gone by', { own: ['0 0 5 1 1 * 2025'] }, 'none', '01-01T05:00'],
    ['a calendar of a year ahead', { own: ['0 0 5 1 1 * 2027'] }, '01-01T05:00', 'none'],
    ['an interval alone', { intervals: [interval] }, '06-02T09:00', '06-01T09:00'],
    ['two intervals', { intervals: [interval, { every: 7_200, phase: 0 }] }, '06-01T12:00', '06-01T12:00'],
    ['an interval and an instant', { intervals: [interval], instants: ['14:00:00'] }, '06-01T14:00', '06-01T09:00'],
    ['no calendar of the server', { server: [], zone: 'Europe/Berlin' }, 'none', 'none'],
    ['the server alone', { server: [daily(12)], zone: 'Europe/Berlin' }, '06-02T10:00', '06-01T10:00'],
  ])('has the times of %s', (_, given, next, previous) => {
    const parts = partsOf(given);
    expect(
      [nextOfUnion(parts, DAY + clock('12:00:00')), previousOfUnion(parts, DAY + clock('12:00:00'))].map((second) =>
        shown(second - DAY),
      ),
    ).toEqual([next, previous]);
  });
});

describe('a recurring time', () => {
  it.each([
    ['of an own calendar', '04:00:00', true],
    ['of an interval', '09:00:00', true],
    ['of the server', '12:00:00', true],
    ['an instant', '10:00:00', false],
    ['a second after an own time', '04:00:01', false],
    ['a second before a time of the server', '11:59:59', false],
  ])('is one that a calendar or an interval has: %s', (_, text, recurs) => {
    expect(recursAt(partsOf(all), DAY + clock(text))).toBe(recurs);
  });
  it('is none of a spec that has instants alone', () => {
    expect(recursAt(partsOf({ instants: ['10:00:00'] }), DAY + clock('10:00:00'))).toBe(false);
  });
});

describe('a skipped time', () => {
  it.each([
    // 06:00 in UTC is 08:00 in Berlin.
    ['the local time that the clock shows', [daily(8)], '06:00:00', true],
    ['not the time in UTC', [daily(6)], '06:00:00', false],
    ['by any of several', [daily(1), daily(8), daily(2)], '06:00:00', true],
    ['by none of several', [daily(1), daily(2)], '06:00:00', false],
    ['to the second', [daily(8)], '06:00:01', false],
    ['by none', [], '06:00:00', false],
  ])('is %s', (_, skip, text, isSkipped) => {
    expect(skipped(partsOf({ skip, zone: 'Europe/Berlin' }), DAY + clock(text))).toBe(isSkipped);
  });
  it('comes twice if the clock shows it twice', () => {
    const parts = partsOf({ skip: ['0 30 2 * * * *'], zone: 'Europe/Berlin' });
    const times = ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', '2026-10-25T02:30:00Z'];
    expect(times.map((iso) => skipped(parts, Date.parse(iso) / 1000))).toEqual([true, true, false]);
  });
});

it('more intervals and skips take more steps', () => {
  const many = (count: number) =>
    partsOf({
      intervals: Array.from({ length: count }, (_, phase) => ({ every: 1_000, phase })),
      skip: Array.from({ length: count }, (_, hour) => daily(hour % 24)),
    });
  const [few, more] = [many(10), many(110)];
  for (const ask of [nextOfUnion, previousOfUnion, recursAt]) {
    expect(stepsOf(() => ask(more, DAY)) - stepsOf(() => ask(few, DAY))).toBe(100);
  }
  expect(stepsOf(() => skipped(more, DAY)) - stepsOf(() => skipped(few, DAY))).toBeGreaterThanOrEqual(100);
});
