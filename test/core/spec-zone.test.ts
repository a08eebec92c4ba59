import { describe, expect, it } from 'vitest';
import { UnknownTimeZoneError } from '../../core/errors';
import type { ScheduleSpec } from '../../core/schedule/spec';
import { readTime, readTimeOrDate, showTime, zoneOf } from '../../core/spec-zone';

const BERLIN = 'Europe/Berlin';
const readIso = (value: Date | string, zone = BERLIN) => readTime(value, zone, 'start').toISOString();

describe('the time zone of a spec', () => {
  it.each<[what: string, zone: string, spec: ScheduleSpec]>([
    ['is UTC if the spec names none', 'UTC', {}],
    ['is UTC if the name is empty', 'UTC', { timezone: '' }],
    ['is the one of the spec', BERLIN, { timezone: BERLIN }],
    ['is the one of the cron expressions', 'Asia/Tokyo', { cronExpressions: ['CRON_TZ=Asia/Tokyo 0 12 * * *'] }],
    ['is the one of a spec that is refused', BERLIN, { timezone: BERLIN, cronExpressions: ['no expression'] }],
    ['is UTC for a refused spec that names none', 'UTC', { timezone: '', cronExpressions: ['no expression'] }],
    [
      'is the spec’s if the expressions name another',
      BERLIN,
      { timezone: BERLIN, cronExpressions: 'TZ=UTC 0 1 * * *' },
    ],
  ] as [string, string, ScheduleSpec][])('%s', (_, zone, spec) => {
    expect(zoneOf(spec)).toBe(zone);
  });

  it('hides no other error than a refusal of the spec', () => {
    const spec = {
      get cronExpressions(): string[] {
        throw new RangeError('not the fault of the spec');
      },
    };
    expect(() => zoneOf(spec)).toThrow('not the fault of the spec');
  });
});

describe('a time', () => {
  it.each([
    ['a Date', new Date('2026-11-20T02:00:00.123Z'), '2026-11-20T02:00:00.123Z'],
    ['the first instant of year 1', new Date('0001-01-01T00:00:00Z'), '0001-01-01T00:00:00.000Z'],
    ['the last instant of year 9999', new Date('9999-12-31T23:59:59.999Z'), '9999-12-31T23:59:59.999Z'],
    ['minutes in UTC', '2026-11-20T02:00Z', '2026-11-20T02:00:00.000Z'],
    ['seconds in UTC', '2026-11-20T02:00:01Z', '2026-11-20T02:00:01.000Z'],
    ['tenths of a second', '2026-11-20T02:00:01.5Z', '2026-11-20T02:00:01.500Z'],
    ['milliseconds', '2026-11-20T02:00:01.123Z', '2026-11-20T02:00:01.123Z'],
    ['an offset east', '2026-11-20T02:00+05:45', '2026-11-19T20:15:00.000Z'],
    ['an offset west', '2026-11-20T02:00:00-08:00', '2026-11-20T10:00:00.000Z'],
    ['a text of year 1', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ])('is an instant in any zone: %s', (_, value, instant) => {
    expect(readIso(value)).toBe(instant);
    expect(readIso(value, 'UTC')).toBe(instant);
  });

  it.each([
    ['in winter', '2026-11-20T02:00', BERLIN, '2026-11-20T01:00:00.000Z'],
    ['in summer', '2026-07-01T02:00', BERLIN, '2026-07-01T00:00:00.000Z'],
    ['with a space', '2026-11-20 02:00', BERLIN, '2026-11-20T01:00:00.000Z'],
    ['with seconds', '2026-11-20T02:00:59', BERLIN, '2026-11-20T01:00:59.000Z'],
    ['with a space and seconds', '2026-11-20 02:00:59', 'Asia/Tokyo', '2026-11-19T17:00:59.000Z'],
    ['in UTC', '2026-11-20T02:00', 'UTC', '2026-11-20T02:00:00.000Z'],
    [
      'with microseconds, as Python writes them',
      '2026-11-20T02:00:00.001000+00:00',
      BERLIN,
      '2026-11-20T02:00:00.001Z',
    ],
    ['in no zone, which is UTC', '2026-11-20T02:00', '', '2026-11-20T02:00:00.000Z'],
    ['just before a repeated hour', '2026-10-25T01:59:59', BERLIN, '2026-10-24T23:59:59.000Z'],
    ['in a repeated hour, at its first pass', '2026-10-25T02:30', BERLIN, '2026-10-25T00:30:00.000Z'],
    ['just after a repeated hour', '2026-10-25T03:00', BERLIN, '2026-10-25T02:00:00.000Z'],
    ['just before a missing hour', '2026-03-29T01:59:59', BERLIN, '2026-03-29T00:59:59.000Z'],
    ['in a missing hour, right after the change', '2026-03-29T02:30', BERLIN, '2026-03-29T01:00:00.000Z'],
    ['just after a missing hour', '2026-03-29T03:00', BERLIN, '2026-03-29T01:00:00.000Z'],
  ])('without an offset is one of the zone: %s', (_, value, zone, instant) => {
    expect(readIso(value, zone)).toBe(instant);
  });

  it.each<[what: string, value: unknown, shown: string]>([
    ['a date alone', '2026-11-20', '"2026-11-20"'],
    ['no text', '', '""'],
    ['a word', 'tomorrow', '"tomorrow"'],
    ['a date that does not exist', '2026-02-30T02:00:00Z', '"2026-02-30T02:00:00Z"'],
    ['a local date that does not exist', '2026-02-30T02:00', '"2026-02-30T02:00"'],
    ['an hour that does not exist', '2026-11-20T25:00', '"2026-11-20T25:00"'],
    ['a minute that does not exist', '2026-11-20T02:60', '"2026-11-20T02:60"'],
    ['a second that does not exist', '2026-11-20T02:00:60Z', '"2026-11-20T02:00:60Z"'],
    ['an offset that does not exist', '2026-11-20T02:00+25:00', '"2026-11-20T02:00+25:00"'],
    ['an offset without its colon', '2026-11-20T02:00+0100', '"2026-11-20T02:00+0100"'],
    ['a small t and z', '2026-11-20t02:00z', '"2026-11-20t02:00z"'],
    ['a space before Z', '2026-11-20T02:00 Z', '"2026-11-20T02:00 Z"'],
    ['parts of a local second', '2026-11-20T02:00:00.5', '"2026-11-20T02:00:00.5"'],
    ['an hour alone', '2026-11-20T02', '"2026-11-20T02"'],
    ['something before the time', '2026-11-20 (2026-11-20T02:00Z', '"2026-11-20 (2026-11-20T02:00Z"'],
    ['something before a local time', '2026-11-20 2026-11-20T02:00', '"2026-11-20 2026-11-20T02:00"'],
    ['something after a local time', '2026-11-20T02:00 CET', '"2026-11-20T02:00 CET"'],
    ['year 0', '0000-12-31T23:59:59Z', '"0000-12-31T23:59:59Z"'],
    ['an instant just before year 1', '0001-01-01T00:00+01:00', '"0001-01-01T00:00+01:00"'],
    ['an instant just after year 9999', '9999-12-31T23:59:59-00:01', '"9999-12-31T23:59:59-00:01"'],
    ['a local time of year 0', '0000-12-31T23:00', '"0000-12-31T23:00"'],
    ['a local time just before year 1', '0001-01-01T00:30', '"0001-01-01T00:30"'],
    ['an invalid Date', new Date(Number.NaN), 'an invalid Date'],
    ['a Date just after year 9999', new Date('+010000-01-01T00:00:00Z'), '+010000-01-01T00:00:00.000Z'],
    ['a Date just before year 1', new Date('0000-12-31T23:59:59.999Z'), '0000-12-31T23:59:59.999Z'],
    ['a number', 1_795_140_000_000, '1795140000000'],
    ['nothing', undefined, 'undefined'],
  ])('is refused: %s', (_, value, shown) => {
    expect(() => readTime(value as string, BERLIN, 'backfill[1].start')).toThrow(
      expect.objectContaining({
        name: 'InvalidScheduleError',
        path: 'backfill[1].start',
        problem: `${shown} is not a time; use 2026-11-20T02:00:00Z, or 2026-11-20T02:00 in the schedule's zone`,
      }),
    );
  });

  it('without an offset is refused only where its zone puts it into another year than 1 to 9999', () => {
    expect(readIso('0001-01-01T00:00', 'UTC')).toBe('0001-01-01T00:00:00.000Z');
    expect(readIso('9999-12-31T23:59:59', 'UTC')).toBe('9999-12-31T23:59:59.000Z');
    expect(readIso('9999-12-31T23:59:59')).toBe('9999-12-31T22:59:59.000Z');
    expect(() => readIso('9999-12-31T23:59:59', 'America/New_York')).toThrow('is not a time');
  });

  it('without an offset is refused in a zone that is none, by the path of the time', () => {
    expect(() => readTime('2026-11-20T02:00', 'Mars/Base', 'end')).toThrow(UnknownTimeZoneError);
    expect(() => readTime('2026-11-20T02:00', 'Mars/Base', 'end')).toThrow('end: "Mars/Base" is not a time zone');
    expect(readIso('2026-11-20T02:00Z', 'Mars/Base')).toBe('2026-11-20T02:00:00.000Z');
  });
});

describe('a time or a date', () => {
  it.each([
    ['a date, as its first instant', '2026-11-20', BERLIN, '2026-11-19T23:00:00.000Z'],
    ['a date in UTC', '2026-11-20', 'UTC', '2026-11-20T00:00:00.000Z'],
    ['a date whose midnight is missing', '2026-09-06', 'America/Santiago', '2026-09-06T04:00:00.000Z'],
    ['a local time', '2026-11-20T02:00', BERLIN, '2026-11-20T01:00:00.000Z'],
    ['a local time with a space', '2026-11-20 02:00', BERLIN, '2026-11-20T01:00:00.000Z'],
    ['an instant', '2026-11-20T02:00:00Z', BERLIN, '2026-11-20T02:00:00.000Z'],
  ])('is read: %s', (_, value, zone, instant) => {
    expect(readTimeOrDate(value, zone, 'from').toISOString()).toBe(instant);
  });

  it.each(['on 2026-11-20', '2026-11-20 on', '26-11-20', '2026-11-2', '2026-11-20T', '+002026-11-20', 'tomorrow'])(
    'is refused as it was given: %s',
    (value) => {
      expect(() => readTimeOrDate(value, BERLIN, 'from')).toThrow(`from: "${value}" is not a time; use `);
    },
  );

  it('is refused if there is no such date', () => {
    expect(() => readTimeOrDate('2026-02-30', BERLIN, 'from')).toThrow('from: "2026-02-30');
  });
});

describe('a shown time', () => {
  it.each([
    [BERLIN, 'Fri 2026-11-20 02:00:00 +01:00'],
    ['UTC', 'Fri 2026-11-20 01:00:00 +00:00'],
    ['America/New_York', 'Thu 2026-11-19 20:00:00 -05:00'],
  ])('is the local one in %s', (zone, text) => {
    expect(showTime(new Date('2026-11-20T01:00:00Z'), zone)).toBe(text);
  });
});
