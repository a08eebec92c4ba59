import { describe, expect, it } from 'vitest';
import { compileSpec, nextOccurrences } from '../../../core/occurrences';
import type { CalendarSpec, ScheduleSpec } from '../../../core/schedule/spec';

function next(spec: ScheduleSpec, after: string, count = 3, scheduleId?: string): string[] {
  return nextOccurrences(spec, { after: new Date(after), count, scheduleId }).map((date) =>
    date.toISOString().replace(/:00\.000Z$|\.000Z$/, 'Z'),
  );
}

describe("Temporal's parts", () => {
  it('join day fields by AND, and read 6 fields with a trailing year', () => {
    expect(next({ cronExpressions: ['0 0 13 * 5'] }, '2026-01-01T00:00:00Z', 2)).toEqual([
      '2026-02-13T00:00Z',
      '2026-03-13T00:00Z',
    ]);
    expect(next({ cronExpressions: ['0 12 1 1 * 2030'] }, '2026-01-01T00:00:00Z', 2)).toEqual(['2030-01-01T12:00Z']);
  });
  it('take the zone from CRON_TZ and know @every with its phase', () => {
    expect(next({ cronExpressions: ['CRON_TZ=Asia/Kathmandu 0 0 * * *'] }, '2026-01-01T00:00:00Z', 1)).toEqual([
      '2026-01-01T18:15Z',
    ]);
    expect(next({ cronExpressions: ['@every 6h/45m'] }, '2026-01-01T00:00:00Z', 2)).toEqual([
      '2026-01-01T00:45Z',
      '2026-01-01T06:45Z',
    ]);
  });
  it('default to second, minute and hour 0, and to any day', () => {
    expect(next({ calendars: [{ dayOfWeek: 'SUNDAY' }] }, '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-04T00:00Z']);
    expect(
      next({ calendars: [{ hour: [2, 5], minute: { start: 0, end: 30, step: 30 } }] }, '2026-01-01T02:00:00Z', 2),
    ).toEqual(['2026-01-01T02:30Z', '2026-01-01T05:00Z']);
  });
  it('take 1 for the end of a range that has none, as the SDK sends it, and its start for an end of 0', () => {
    const hours = (hour: CalendarSpec['hour']) => next({ calendars: [{ hour }] }, '2025-12-31T23:00:00Z', 3);
    const [midnight, one, tomorrow] = ['2026-01-01T00:00Z', '2026-01-01T01:00Z', '2026-01-02T00:00Z'];
    expect(hours({ start: 0 } as never)).toEqual([midnight, one, tomorrow]);
    expect(hours({ start: 1 } as never)[0]).toBe(one);
    expect(hours({ start: 0, end: 0 })).toEqual([midnight, tomorrow, '2026-01-03T00:00Z']);
    expect(hours({ start: 5, end: 0 })[0]).toBe('2026-01-01T05:00Z');
    const days = next({ calendars: [{ dayOfWeek: { start: 'SUNDAY' } as never }] }, '2026-01-01T00:00:00Z', 2);
    expect(days).toEqual(['2026-01-04T00:00Z', '2026-01-05T00:00Z']);
  });
  it('lose what skip matches, all fields of it', () => {
    const spec: ScheduleSpec = {
      intervals: [{ every: '12h' }],
      skip: [
        { dayOfMonth: 2, hour: '*' },
        { hour: 12, dayOfMonth: 3 },
      ],
    };
    expect(next(spec, '2026-01-01T12:00:00Z', 2)).toEqual(['2026-01-03T00:00Z', '2026-01-04T00:00Z']);
  });
  it('keep startAt and endAt, both inclusive', () => {
    const spec: ScheduleSpec = {
      intervals: [{ every: '1h' }],
      startAt: new Date('2026-01-01T03:00:00Z'),
      endAt: new Date('2026-01-01T05:00:00Z'),
    };
    expect(next(spec, '2020-01-01T00:00:00Z', 9)).toEqual([
      '2026-01-01T03:00Z',
      '2026-01-01T04:00Z',
      '2026-01-01T05:00Z',
    ]);
    const compiled = compileSpec(spec);
    expect(compiled.previous(Number.POSITIVE_INFINITY)).toBe(Date.UTC(2026, 0, 1, 5));
    expect(compiled.previous(Date.UTC(2026, 0, 1, 3))).toBeUndefined();
    expect(compiled.count(0, Number.POSITIVE_INFINITY)).toBe(3);
    expect(compiled.next(Number.NEGATIVE_INFINITY)).toBe(Date.UTC(2026, 0, 1, 3));
  });
  it.each([
    [{ calendars: [{ month: 'JANUARY', dayOfMonth: 1, year: [2026, 2026].map((start) => ({ start, end: 2077 })) }] }],
    [{ cronExpressions: ['0 0 1 1 * 2026-2077,2026-2077'] }],
  ] as ScheduleSpec[][])('stay in their years, though ranges of years overlap: %j', (spec) => {
    expect(compileSpec(spec!).count(0, Number.POSITIVE_INFINITY)).toBe(52);
  });
  it('follow the server in an hour that comes twice, from the times of the other part too', () => {
    const spec = { timezone: 'Europe/Berlin', cronExpressions: ['*/15 * * * *', '@every 1h'] };
    expect(next(spec, '2026-10-25T00:00:00Z')).toEqual(['2026-10-25T01:00Z', '2026-10-25T02:00Z', '2026-10-25T02:15Z']);
    const cairo = { timezone: 'Africa/Cairo', cronExpressions: ['*/10 * * * * * *', '0 */10 23 * * * *'] };
    // The count of the server's own code.
    const [from, to] = [Date.UTC(2026, 9, 29, 18), Date.UTC(2026, 9, 29, 23) - 1];
    expect(compileSpec(cairo).count(from, to)).toBe(1_079);
  });
  it('end with the year 2100', () => {
    expect(next({ cron: '0 0 1 * *', timezone: 'Asia/Tokyo' }, '2100-11-30T23:00:00Z', 9)).toEqual(
      ['2100-12-31T15:00Z'].slice(1),
    );
    expect(next({ intervals: [{ every: '1h' }] }, '2100-12-31T21:30:00Z', 9)).toEqual([
      '2100-12-31T22:00Z',
      '2100-12-31T23:00Z',
    ]);
  });
});

describe('our additions', () => {
  it('at gives instants, sorted and each once, together with the rest', () => {
    const at = [new Date('2026-01-03T00:00:00Z'), new Date('2026-01-01T07:30:00Z'), new Date('2026-01-02T00:00:00Z')];
    expect(next({ at, cron: '0 0 2 1 *' }, '2026-01-01T00:00:00Z', 3)).toEqual([
      '2026-01-01T07:30Z',
      '2026-01-02T00:00Z',
      '2026-01-03T00:00Z',
    ]);
    expect(compileSpec({ at, cron: '0 0 2 1 *' }).count(Date.UTC(2026, 0, 1), Date.UTC(2026, 1, 1))).toBe(3);
  });
  it('anchor moves an interval, in both directions', () => {
    const spec: ScheduleSpec = {
      intervals: [{ every: '7 days', anchor: new Date('2026-01-05T09:00:00Z') }],
    };
    expect(next(spec, '2025-12-25T00:00:00Z', 3)).toEqual([
      '2025-12-29T09:00Z',
      '2026-01-05T09:00Z',
      '2026-01-12T09:00Z',
    ]);
  });
  it('finds the most recent missed ones backwards', () => {
    const compiled = compileSpec({ cron: '0 2 * * *', timezone: 'Europe/Berlin' });
    const missed: number[] = [];
    for (let at: number | undefined = Date.UTC(2026, 2, 30); missed.length < 3 && at !== undefined; ) {
      at = compiled.previous(at);
      if (at !== undefined) missed.push(at);
    }
    expect(missed.map((at) => new Date(at).toISOString().slice(0, 16))).toEqual([
      '2026-03-29T01:00',
      '2026-03-28T01:00',
      '2026-03-27T01:00',
    ]);
  });
});

describe('count', () => {
  const year = [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)] as const;
  const second = { second: '*', minute: '*', hour: '*' } as const;
  it.each<[string, ScheduleSpec, number]>([
    ['each second by cron', { cron: '* * * * * *', timezone: 'Europe/Berlin' }, 31_536_000],
    ['each second by interval', { intervals: [{ every: '1s' }] }, 31_536_000],
    [
      'each second by calendar, in a zone where the server misses two hours',
      { calendars: [second], timezone: 'Europe/Berlin' },
      31_536_000 - 7200,
    ],
    ['each second by calendar, elsewhere', { calendars: [second], timezone: 'America/New_York' }, 31_536_000],
    [
      'intervals that share instants',
      { intervals: [{ every: '4s' }, { every: '6s' }, { every: '10s' }] },
      (31_536_000 * 22) / 60,
    ],
    ['a daily time under ONCE', { cron: '30 2 * * *', timezone: 'Europe/Berlin' }, 365],
    ['all but Sundays', { cron: '* * * * *', skip: [{ ...second, dayOfWeek: 'SUNDAY' }] }, (365 - 52) * 1440],
  ])('of a year: %s', (_, spec, count) => {
    const compiled = compileSpec(spec);
    expect(compiled.count(year[0] - 1, year[1] - 1)).toBe(count);
  });
  it('is 0 for an empty or turned stretch', () => {
    const compiled = compileSpec({ cron: '* * * * *' });
    expect(compiled.count(year[0], year[0])).toBe(0);
    expect(compiled.count(year[1], year[0])).toBe(0);
  });
});
