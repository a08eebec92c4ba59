import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextOccurrences } from '../../../core/occurrences';
import { normalSpec } from '../../../core/occurrences/normal-spec';
import type { CalendarSpec, CalendarSpecDescription, ScheduleSpec } from '../../../core/schedule/spec';
import { UNSET_CALENDAR } from '../../support/unset-calendar';
import { anySpec } from './arbitrary';

describe('the normal form of a spec', () => {
  it.each<[string, CalendarSpec, Partial<CalendarSpecDescription>]>([
    [
      'one value',
      { hour: 4, dayOfWeek: 'MONDAY', month: 'APRIL' },
      {
        hour: [{ start: 4, end: 4, step: 1 }],
        dayOfWeek: [{ start: 'MONDAY', end: 'MONDAY', step: 1 }],
        month: [{ start: 'APRIL', end: 'APRIL', step: 1 }],
      },
    ],
    [
      'a wildcard',
      { second: '*', minute: '*', hour: '*', dayOfMonth: '*', month: '*', year: '*', dayOfWeek: '*' },
      {
        second: [{ start: 0, end: 59, step: 1 }],
        minute: [{ start: 0, end: 59, step: 1 }],
        hour: [{ start: 0, end: 23, step: 1 }],
      },
    ],
    [
      'values and ranges in any order',
      {
        hour: [9, 4, { start: 15, end: 20, step: 2 }, { start: 2, end: 7 }, { start: 4, end: 0, step: 2 }],
        year: 2030,
      },
      {
        hour: [
          { start: 9, end: 9, step: 1 },
          { start: 4, end: 4, step: 1 },
          { start: 15, end: 20, step: 2 },
          { start: 2, end: 7, step: 1 },
          { start: 4, end: 4, step: 2 },
        ],
        year: [{ start: 2030, end: 2030, step: 1 }],
      },
    ],
  ])('has each field of a calendar as ranges: %s', (_, calendar, expected) => {
    expect(normalSpec({ calendars: [calendar] }).calendars).toEqual([{ ...UNSET_CALENDAR, ...expected }]);
  });

  it('has cron expressions among its calendars and intervals, and their zone and comment', () => {
    const cronExpressions = ['CRON_TZ=Asia/Tokyo 0 12 * * MON-WED,FRI # lunch', 'CRON_TZ=Asia/Tokyo 0 0 * * 5-7'];
    expect(normalSpec({ calendars: [{}], cronExpressions })).toEqual({
      calendars: [
        UNSET_CALENDAR,
        {
          ...UNSET_CALENDAR,
          hour: [{ start: 12, end: 12, step: 1 }],
          dayOfWeek: [
            { start: 'MONDAY', end: 'WEDNESDAY', step: 1 },
            { start: 'FRIDAY', end: 'FRIDAY', step: 1 },
          ],
          comment: 'lunch',
        },
        {
          ...UNSET_CALENDAR,
          dayOfWeek: [
            { start: 'SUNDAY', end: 'SUNDAY', step: 1 },
            { start: 'FRIDAY', end: 'SATURDAY', step: 1 },
          ],
        },
      ],
      intervals: [],
      skip: [],
      timezone: 'Asia/Tokyo',
    });
    expect(normalSpec({ cronExpressions: ['@every 14h/3h'], intervals: [{ every: '90 minutes' }] }).intervals).toEqual([
      { every: 5_400_000, offset: 0 },
      { every: 50_400_000, offset: 10_800_000 },
    ]);
  });

  it('keeps what Temporal has not as it was registered, and has Dates where JSON had text', () => {
    const spec: ScheduleSpec = {
      cron: 'H 2 * * *',
      dst: 'LITERAL',
      at: new Date('2027-01-01T00:00:00Z'),
      intervals: [{ every: '1 week', anchor: new Date('2026-01-05T09:00:00Z') }],
      startAt: new Date('2026-01-01T00:00:00Z'),
      jitter: '30 seconds',
    };
    expect(normalSpec(JSON.parse(JSON.stringify(spec)))).toEqual({
      calendars: [],
      intervals: [{ every: 604_800_000, offset: 0, anchor: new Date('2026-01-05T09:00:00Z') }],
      skip: [],
      cron: 'H 2 * * *',
      dst: 'LITERAL',
      at: [new Date('2027-01-01T00:00:00Z')],
      startAt: new Date('2026-01-01T00:00:00Z'),
      jitter: 30_000,
    });
  });

  it('comes due at the same instants, and is its own normal form', () => {
    fc.assert(
      fc.property(anySpec, fc.integer({ min: 0, max: 3_000_000_000 }), (spec, second) => {
        const normal = normalSpec(spec);
        expect(normalSpec(JSON.parse(JSON.stringify(normal)))).toEqual(normal);
        const options = { after: new Date(second * 1_000), count: 20, scheduleId: 'nightly' };
        expect(nextOccurrences(normal, options)).toEqual(nextOccurrences(spec, options));
      }),
      { numRuns: 300 },
    );
  });
});

it.each(['europe/berlin', 'EUROPE/BERLIN', 'Europe/Berlin'])('a zone written as %s is Europe/Berlin', (written) => {
  const spec = { cronExpressions: [`CRON_TZ=${written} 0 2 * * *`], timezone: 'Europe/berlin' };
  expect(normalSpec(spec).timezone).toBe('Europe/Berlin');
  const after = new Date('2026-03-01T00:00:00Z');
  expect(nextOccurrences(spec, { after, count: 1 })).toEqual([new Date('2026-03-01T01:00:00Z')]);
});

describe('the normal form of a part', () => {
  const empty = { calendars: [], intervals: [], skip: [] };
  const [first, second] = ['2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'];

  it.each<[keyof ScheduleSpec, unknown, unknown]>([
    ['startAt', first, new Date(first)],
    ['endAt', first, new Date(first)],
    ['jitter', '1 minute', 60_000],
    ['jitter', 0, 0],
    ['timezone', 'asia/tokyo', 'Asia/Tokyo'],
    ['cron', '0 2 * * *', '0 2 * * *'],
    ['cron', ['0 2 * * *', 'H 3 * * *'], ['0 2 * * *', 'H 3 * * *']],
    ['cron', [], []],
    ['dst', 'ONCE', 'ONCE'],
    ['at', first, [new Date(first)]],
    ['at', [second, first], [new Date(second), new Date(first)]],
    ['at', [], []],
    ['skipDays', ['holidays', '2026-12-31'], ['holidays', '2026-12-31']],
    ['skipDays', 'holidays', ['holidays']],
    ['skipDays', [], []],
    ['onlyDays', ['workdays', '2026-12-31'], ['workdays', '2026-12-31']],
    ['onlyDays', 'workdays', ['workdays']],
    ['onlyDays', [], []],
    ['calendarDays', { holidays: '2026-12-25' }, { holidays: '2026-12-25' }],
  ])('has %s, which is %j', (part, given, normal) => {
    expect(normalSpec({ [part]: given })).toStrictEqual({ ...empty, [part]: normal });
  });

  it.each<[keyof ScheduleSpec, unknown]>([
    ['startAt', undefined],
    ['startAt', null],
    ['endAt', undefined],
    ['endAt', null],
    ['jitter', undefined],
    ['jitter', null],
    ['timezone', undefined],
    ['timezone', ''],
    ['cron', undefined],
    ['dst', undefined],
    ['at', undefined],
    ['skipDays', undefined],
    ['onlyDays', undefined],
    ['calendarDays', undefined],
    ['calendars', null],
    ['intervals', undefined],
    ['skip', undefined],
    ['cronExpressions', undefined],
  ])('lacks %s, which is %j', (part, given) => {
    expect(normalSpec({ [part]: given })).toStrictEqual(empty);
  });

  it.each([
    [{ every: '1h' }, { every: 3_600_000, offset: 0 }],
    [
      { every: 60_000, offset: '5s' },
      { every: 60_000, offset: 5_000 },
    ],
    [
      { every: '1h', offset: null, anchor: null },
      { every: 3_600_000, offset: 0 },
    ],
    [
      { every: '1h', anchor: first },
      { every: 3_600_000, offset: 0, anchor: new Date(first) },
    ],
  ])('has an interval in milliseconds: %j', (given, normal) => {
    expect(normalSpec({ intervals: given as never }).intervals).toStrictEqual([normal]);
  });

  it('has the calendars of skip, and of months and days by name', () => {
    const skip = { month: ['JANUARY', 'DECEMBER'], dayOfWeek: ['SUNDAY', 'SATURDAY'], comment: 'closed' } as const;
    expect(normalSpec({ skip: skip as never })).toStrictEqual({
      ...empty,
      skip: [
        {
          ...UNSET_CALENDAR,
          month: ['JANUARY', 'DECEMBER'].map((month) => ({ start: month, end: month, step: 1 })),
          dayOfWeek: ['SUNDAY', 'SATURDAY'].map((day) => ({ start: day, end: day, step: 1 })),
          comment: 'closed',
        },
      ],
    });
  });

  it.each<[string, ScheduleSpec]>([
    ['spec.cronExpressions[1]', { cronExpressions: ['0 2 * * *', '61 2 * * *'] }],
    ['spec.cronExpressions', { cronExpressions: '61 2 * * *' as never }],
    ['spec.calendars[0].hour', { calendars: [{ hour: 24 }] }],
    ['spec.skip[1].hour', { skip: [{}, { hour: 24 }] }],
    ['spec.intervals[0].every', { intervals: [{ every: 'soon' as never }] }],
    ['spec.intervals[0].offset', { intervals: [{ every: '1h', offset: 'soon' as never }] }],
    ['spec.intervals[0].anchor', { intervals: [{ every: '1h', anchor: 'soon' as never }] }],
    ['spec.startAt', { startAt: 'soon' as never }],
    ['spec.endAt', { endAt: 'soon' as never }],
    ['spec.jitter', { jitter: 'soon' as never }],
    ['spec.at[1]', { at: [new Date(0), 'soon'] as never }],
    ['spec.skipDays', { skipDays: Array.from({ length: 1_001 }, () => 'holidays') }],
    ['spec.onlyDays', { onlyDays: Array.from({ length: 1_001 }, () => 'workdays') }],
  ])('is refused by the path of the bad field: %s', (path, spec) => {
    expect(() => normalSpec(spec)).toThrow(expect.objectContaining({ name: 'InvalidScheduleError', path }));
  });
});
