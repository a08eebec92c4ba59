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
