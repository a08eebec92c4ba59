import { describe, expect, it } from 'vitest';
import type { Calendar } from '../../../../core/occurrences/calendar/calendar';
import { CalendarGroup } from '../../../../core/occurrences/calendar/calendar-group';
import { calendarOf, range } from '../../../../core/occurrences/calendar/calendar-of';
import { stepsOf } from '../../../../core/occurrences/steps';
import { zoneNamed } from '../../../../core/occurrences/zones/zones';
import { secondOf } from '../zones/clock';

const UTC = zoneNamed('UTC', 'timezone');
const BERLIN = zoneNamed('Europe/Berlin', 'timezone');

/** Each day at a time such as `09:30`. */
function daily(time: string, values: object = {}): Calendar {
  const [hour, minute] = time.split(':').map(Number);
  return calendarOf({
    second: [0],
    minute: [minute!],
    hour: [hour!],
    dayOfMonth: range(1, 31),
    month: range(1, 12),
    dayOfWeek: range(0, 6),
    ...values,
  });
}

const LEAP_DAY = daily('12:00', { month: [2], dayOfMonth: [29] });
const ONLY_IN_2026 = daily('12:00', { month: [8], dayOfMonth: [10], year: [2026] });

function shown(second: number): string {
  return Number.isFinite(second) ? new Date(second * 1000).toISOString().slice(0, 19) : String(second);
}

function at(time: string): number {
  return secondOf(`${time}Z`);
}

describe('the occurrences of some calendars', () => {
  it.each<[what: string, calendars: Calendar[], from: string, next: string, previous: string]>([
    ['of no calendar', [], '2026-08-10T00:00:00', 'Infinity', '-Infinity'],
    ['of one', [daily('12:00')], '2026-08-10T11:59:59', '2026-08-10T12:00:00', '2026-08-09T12:00:00'],
    ['of one, at it', [daily('12:00')], '2026-08-10T12:00:00', '2026-08-10T12:00:00', '2026-08-10T12:00:00'],
    ['of one, after it', [daily('12:00')], '2026-08-10T12:00:01', '2026-08-11T12:00:00', '2026-08-10T12:00:00'],
    [
      'of several, the nearest',
      [daily('18:00'), daily('09:00'), LEAP_DAY, daily('12:00')],
      '2026-08-10T10:00:00',
      '2026-08-10T12:00:00',
      '2026-08-10T09:00:00',
    ],
    [
      'of two at the same time',
      [ONLY_IN_2026, daily('12:00')],
      '2026-08-10T10:00:00',
      '2026-08-10T12:00:00',
      '2026-08-09T12:00:00',
    ],
    ['that are over', [ONLY_IN_2026], '2026-08-10T12:00:01', 'Infinity', '2026-08-10T12:00:00'],
    ['that have not begun', [ONLY_IN_2026], '2026-08-10T11:59:59', '2026-08-10T12:00:00', '-Infinity'],
    [
      'that are over but for one',
      [ONLY_IN_2026, LEAP_DAY],
      '2026-09-01T00:00:00',
      '2028-02-29T12:00:00',
      '2026-08-10T12:00:00',
    ],
  ])(
    'are the first one from an instant on, and the last one back from it: %s',
    (_, calendars, from, next, previous) => {
      const group = new CalendarGroup(calendars, UTC);
      for (const _ of [1, 2]) {
        expect(shown(group.next(at(from)))).toBe(next);
        expect(shown(group.previous(at(from)))).toBe(previous);
      }
    },
  );

  it('follow the rule of each calendar where the clock of the zone changes', () => {
    const once = new CalendarGroup([daily('02:30', { once: true })], BERLIN);
    const literal = new CalendarGroup([daily('02:30')], BERLIN);
    const both = new CalendarGroup([daily('02:30', { once: true }), daily('02:30')], BERLIN);
    const spring = at('2026-03-28T12:00:00');
    expect([once, literal, both].map((group) => shown(group.next(spring)))).toEqual([
      '2026-03-29T01:00:00',
      '2026-03-30T00:30:00',
      '2026-03-29T01:00:00',
    ]);
    const autumn = at('2026-10-25T12:00:00');
    expect([once, literal, both].map((group) => shown(group.previous(autumn)))).toEqual([
      '2026-10-25T00:30:00',
      '2026-10-25T01:30:00',
      '2026-10-25T01:30:00',
    ]);
  });

  it('are the same whatever was asked for before', () => {
    const calendars = [daily('09:00'), daily('12:00', { once: true }), LEAP_DAY, ONLY_IN_2026];
    const kept = new CalendarGroup(calendars, BERLIN);
    const instants = ['2024-02-29', '2026-03-29', '2026-08-10', '2026-08-11', '2028-02-29'].flatMap((day) =>
      ['00:00:00', '07:00:00', '07:00:01', '10:00:00', '10:00:01', '11:00:00'].map((time) => at(`${day}T${time}`)),
    );
    const wrong: string[] = [];
    for (const before of instants) {
      for (const instant of instants) {
        kept.next(before);
        kept.previous(before);
        const fresh = new CalendarGroup(calendars, BERLIN);
        const found = [kept.next(instant), kept.previous(instant), kept.lastIn(before, instant)];
        const expected = [fresh.next(instant), fresh.previous(instant), fresh.lastIn(before, instant)];
        if (String(found) !== String(expected)) wrong.push(`${shown(instant)} after ${shown(before)}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('the last occurrence in a range', () => {
  const group = new CalendarGroup([daily('09:00'), ONLY_IN_2026, LEAP_DAY], UTC);

  it.each([
    ['before any', '08:00:00', '08:59:59', '-Infinity'],
    ['up to the first', '08:00:00', '09:00:00', '2026-08-10T09:00:00'],
    ['of one instant that is one', '09:00:00', '09:00:00', '2026-08-10T09:00:00'],
    ['of one instant that is none', '09:00:01', '09:00:01', '-Infinity'],
    ['between two', '09:00:01', '11:59:59', '-Infinity'],
    ['up to just before the second', '08:00:00', '11:59:59', '2026-08-10T09:00:00'],
    ['up to the second, which is of another calendar', '08:00:00', '12:00:00', '2026-08-10T12:00:00'],
    ['from the second on', '12:00:00', '23:00:00', '2026-08-10T12:00:00'],
    ['of the whole day', '00:00:00', '23:59:59', '2026-08-10T12:00:00'],
    ['after all of the day', '12:00:01', '23:59:59', '-Infinity'],
  ])('includes both its ends: %s', (_, from, upTo, last) => {
    expect(shown(group.lastIn(at(`2026-08-10T${from}`), at(`2026-08-10T${upTo}`)))).toBe(last);
  });

  it('may be days after the first, and of the calendar that comes first', () => {
    expect(shown(group.lastIn(at('2026-08-09T00:00:00'), at('2026-08-12T23:00:00')))).toBe('2026-08-12T09:00:00');
    expect(shown(new CalendarGroup([], UTC).lastIn(0, 1e9))).toBe('-Infinity');
  });

  it('is not searched among calendars without one, so the search never goes before the range', () => {
    const rare = new CalendarGroup([daily('12:00'), LEAP_DAY], UTC);
    const steps = stepsOf(() => rare.lastIn(at('2026-08-01T00:00:00'), at('2026-08-01T23:59:59')));
    // The question itself; noon there and back, a month each; the leap day after 19 months, and not back.
    expect(steps).toBe(1 + 2 / 8 + 2 * (8 + 3) + 8 + 19 * 3);
  });
});

describe('a question in a range that was searched', () => {
  const sixteen = Array.from({ length: 16 }, () => LEAP_DAY);
  const [asked, found] = [at('2026-08-01T00:00:00'), at('2028-02-29T12:00:00')];
  const KNOWN = 1 + 16 / 8;

  it.each([
    ['at its begin', asked, KNOWN],
    ['inside', asked + 1, KNOWN],
    ['a second before the occurrence', found - 1, KNOWN],
    ['at the occurrence', found, KNOWN],
    // The next search begins with March 2028.
    ['a second after the occurrence', found + 1, KNOWN + 16 * (8 + 48 * 3)],
    ['a day before its begin', asked - 86_400, KNOWN + 16 * (8 + 20 * 3)],
  ])('costs a step, and one for eight calendars: %s', (_, from, steps) => {
    const group = new CalendarGroup(sixteen, UTC);
    group.next(asked);
    expect(stepsOf(() => group.next(from))).toBe(steps);
  });

  it.each([
    ['at its end', found - 1, KNOWN],
    ['inside', asked, KNOWN],
    ['at the occurrence', at('2024-02-29T12:00:00'), KNOWN],
    ['a second before the occurrence', at('2024-02-29T11:59:59'), KNOWN + 16 * (8 + 49 * 3)],
    ['a second after its end', found, KNOWN + 16 * (8 + 3)],
  ])('costs as little back in time: %s', (_, upTo, steps) => {
    const group = new CalendarGroup(sixteen, UTC);
    group.previous(found - 1);
    expect(stepsOf(() => group.previous(upTo))).toBe(steps);
  });

  it('costs as little if there is no occurrence any more', () => {
    const group = new CalendarGroup([ONLY_IN_2026], UTC);
    group.next(asked + 30 * 86_400);
    expect(stepsOf(() => group.next(at('2099-01-01T00:00:00')))).toBe(1 + 1 / 8);
  });
});
