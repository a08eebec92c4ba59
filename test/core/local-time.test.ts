import { describe, expect, it } from 'vitest';
import { type LocalTime, localTime } from '../../core/local-time';

const local = (weekday: string, date: string, time: string, offset: string): LocalTime => ({
  weekday,
  date,
  time,
  offset,
});

describe('the local time of an instant', () => {
  it.each<[what: string, instant: string, zone: string, LocalTime]>([
    ['in UTC', '2026-11-20T02:03:04Z', 'UTC', local('Fri', '2026-11-20', '02:03:04', '+00:00')],
    ['in winter', '2026-11-20T02:03:04Z', 'Europe/London', local('Fri', '2026-11-20', '02:03:04', '+00:00')],
    ['in summer', '2026-07-03T22:30:00Z', 'Europe/London', local('Fri', '2026-07-03', '23:30:00', '+01:00')],
    ['on the next day', '2026-12-31T23:00:00Z', 'Europe/Berlin', local('Fri', '2027-01-01', '00:00:00', '+01:00')],
    ['on the day before', '2026-03-01T02:00:00Z', 'US/Pacific', local('Sat', '2026-02-28', '18:00:00', '-08:00')],
    ['at noon', '2026-03-01T12:00:00Z', 'UTC', local('Sun', '2026-03-01', '12:00:00', '+00:00')],
    ['with minutes', '2026-03-02T00:00:00Z', 'Asia/Kathmandu', local('Mon', '2026-03-02', '05:45:00', '+05:45')],
    ['west', '2026-03-03T00:00:00Z', 'America/St_Johns', local('Mon', '2026-03-02', '20:30:00', '-03:30')],
    ['of old', '1900-01-02T03:04:05Z', 'Asia/Kathmandu', local('Tue', '1900-01-02', '08:45:21', '+05:41:16')],
    ['in a part of a second', '2026-03-04T05:06:07.999Z', 'UTC', local('Wed', '2026-03-04', '05:06:07', '+00:00')],
  ])('is right %s: %s in %s', (_, instant, zone, expected) => {
    expect(localTime(new Date(instant), zone)).toEqual(expected);
  });

  it('tells the first pass of a repeated hour from the second by the offset', () => {
    expect(localTime(new Date('2026-10-25T00:30:00Z'), 'Europe/Berlin')).toEqual(
      local('Sun', '2026-10-25', '02:30:00', '+02:00'),
    );
    expect(localTime(new Date('2026-10-25T01:30:00Z'), 'Europe/Berlin')).toEqual(
      local('Sun', '2026-10-25', '02:30:00', '+01:00'),
    );
  });

  it('is refused in a zone that is none, each time', () => {
    for (const _ of [1, 2]) expect(() => localTime(new Date(0), 'Mars/Base')).toThrow(RangeError);
  });

  it('is found by one formatter per zone, in whatever case the zone is written', () => {
    const Formatter = Intl.DateTimeFormat;
    let created = 0;
    Intl.DateTimeFormat = class extends Formatter {
      constructor(...options: ConstructorParameters<typeof Formatter>) {
        super(...options);
        created++;
      }
    } as typeof Formatter;
    try {
      // Formatters are kept, so no other test may use this zone.
      const spellings = ['Indian/Kerguelen', 'Indian/Kerguelen', 'indian/kerguelen', 'INDIAN/KERGUELEN'];
      const times = spellings.map((zone) => localTime(new Date('2026-03-01T00:00:00Z'), zone));
      expect(times).toEqual(spellings.map(() => local('Sun', '2026-03-01', '05:00:00', '+05:00')));
      expect(created).toBe(1);
    } finally {
      Intl.DateTimeFormat = Formatter;
    }
  });
});
