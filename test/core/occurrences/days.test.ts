import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidScheduleError } from '../../../core/errors';
import { compileSpec, nextOccurrences } from '../../../core/occurrences';
import { STEPS_AT_MOST, stepsOf } from '../../../core/occurrences/steps';
import type { ScheduleSpec } from '../../../core/schedule/spec';

const DAY = 86_400_000;
const HOUR = 3_600_000;

/** Zones whose clock changes at midnight, so that a day, or a part of it, is skipped or repeated. */
const ODD: [zone: string, around: string][] = [
  ['UTC', '2026-02-28'],
  ['Europe/Berlin', '2026-03-29'],
  ['America/Sao_Paulo', '2018-11-04'],
  ['America/Sao_Paulo', '2019-02-17'],
  ['Asia/Beirut', '2022-03-27'],
  ['Africa/Cairo', '2010-08-11'],
  ['Africa/Cairo', '2024-04-26'],
  ['America/St_Johns', '2010-11-07'],
  ['America/Havana', '2026-11-01'],
  ['Pacific/Apia', '2011-12-30'],
  ['Pacific/Kwajalein', '1993-08-21'],
  ['Asia/Kolkata', '2026-06-15'],
];

/** The date of an instant by Intl alone. */
const formats = new Map<string, Intl.DateTimeFormat>();
function dateIn(zone: string, time: number): string {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
    formats.set(zone, format);
  }
  return format.format(time);
}

const dayAt = (date: string, days: number) => new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10);
const offsets = fc.uniqueArray(fc.integer({ min: -4, max: 4 }), { maxLength: 6 });
const times = fc.constantFrom<ScheduleSpec>(
  { cron: '*/30 * * * *' },
  { cron: '0 0 * * *' },
  { cronExpressions: ['30 23 * * *', '0 0 * * *'] },
  { intervals: [{ every: '40 minutes' }] },
  { calendars: [{ hour: [{ start: 0, end: 23 }] }], jitter: '3 hours' },
);

describe('by a naive walk over each instant, day by day', () => {
  it('what a spec skips or keeps to is left out, or kept, by the local date: next, previous and count', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ODD), times, offsets, fc.option(offsets), ([zone, around], spec, skip, only) => {
        const skipDays = skip.map((days) => dayAt(around, days));
        const onlyDays = only?.length ? only.map((days) => dayAt(around, days)) : undefined;
        const plain = compileSpec({ ...spec, timezone: zone }, { scheduleId: 'one' });
        const days = { ...(skipDays.length > 0 && { skipDays }), ...(onlyDays && { onlyDays }) };
        const compiled = compileSpec({ ...spec, ...days, timezone: zone }, { scheduleId: 'one' });
        const [from, to] = [Date.parse(around) - 6 * DAY, Date.parse(around) + 6 * DAY];
        const expected: number[] = [];
        for (let time = plain.next(from); time !== undefined && time <= to; time = plain.next(time)) {
          const date = dateIn(zone, time);
          if (!skipDays.includes(date) && (onlyDays?.includes(date) ?? true)) expected.push(time);
        }
        const found: number[] = [];
        for (let time = compiled.next(from); time !== undefined && time <= to; time = compiled.next(time))
          found.push(time);
        expect(found).toEqual(expected);
        const back: number[] = [];
        for (let time = compiled.previous(to + 1); time !== undefined && time > from; time = compiled.previous(time)) {
          back.unshift(time);
        }
        expect(back).toEqual(expected);
        for (const [after, through] of [
          [from, to],
          [from + 5 * DAY + 7 * HOUR, to - 4 * DAY - HOUR],
        ] as const) {
          const inside = expected.filter((time) => time > after && time <= through);
          expect(compiled.count(after, through)).toBe(inside.length);
        }
        for (const time of expected) expect(compiled.startTime(time)).toBe(plain.startTime(time));
      }),
      { numRuns: 80 },
    );
  });
});

describe('days of a spec', () => {
  const next = (spec: ScheduleSpec, count = 3) =>
    nextOccurrences(spec, { after: new Date('2026-12-23T12:00:00Z'), count }).map((time) =>
      time.toISOString().slice(0, 16),
    );

  it('are dates, and those of named calendars, in the zone of the spec', () => {
    const calendarDays = { 'de-holidays': '2026-12-25 2026-12-26', trading: '2026-12-24 2026-12-28' };
    expect(next({ cron: '0 2 * * *', skipDays: ['de-holidays', '2026-12-28'], calendarDays })).toEqual([
      '2026-12-24T02:00',
      '2026-12-27T02:00',
      '2026-12-29T02:00',
    ]);
    const onlyDays = ['trading', '2026-12-25'];
    expect(next({ cron: '0 2 * * *', skipDays: ['de-holidays'], onlyDays, calendarDays }, 9)).toEqual([
      '2026-12-24T02:00',
      '2026-12-28T02:00',
    ]);
    // At 23:00 in UTC it is the next day in Tokyo.
    expect(next({ cron: '0 8 * * *', timezone: 'Asia/Tokyo', skipDays: ['2026-12-25'] }, 2)).toEqual([
      '2026-12-23T23:00',
      '2026-12-25T23:00',
    ]);
  });

  it('leave out a day that a zone leaves out itself, and the same instants wherever a day has two parts', () => {
    const apia = { cron: '0 * * * *', timezone: 'Pacific/Apia' };
    const of = (spec: ScheduleSpec) =>
      nextOccurrences(spec, { after: new Date('2011-12-29T00:00:00Z'), count: 80 }).map(Number);
    expect(of({ ...apia, skipDays: ['2011-12-30'] })).toEqual(of(apia));
    expect(compileSpec({ ...apia, onlyDays: ['2011-12-30'] }).next(0)).toBeUndefined();
  });

  const refused: [problem: string, spec: unknown, path: string][] = [
    ['no date', { cron: '0 2 * * *', skipDays: ['2026-02-30'] }, 'spec.skipDays[0]'],
    [
      'a date before the years that have occurrences',
      { cron: '0 2 * * *', skipDays: ['1969-12-31'] },
      'spec.skipDays[0]',
    ],
    ['no name', { cron: '0 2 * * *', skipDays: ['2026-12-25', '25 Dec'] }, 'spec.skipDays[1]'],
    ['a number', { cron: '0 2 * * *', onlyDays: [7] }, 'spec.onlyDays[0]'],
    ['no days at all', { cron: '0 2 * * *', onlyDays: [] }, 'spec.onlyDays'],
    [
      'a calendar whose days are not known',
      { cron: '0 2 * * *', skipDays: ['x'], calendarDays: {} },
      'spec.skipDays[0]',
    ],
    [
      'days of a calendar that are none',
      { cron: '0 2 * * *', skipDays: ['x'], calendarDays: { x: 'y' } },
      'spec.skipDays[0]',
    ],
    ['what every object has', { cron: '0 2 * * *', skipDays: ['constructor'], calendarDays: {} }, 'spec.skipDays[0]'],
  ];
  it.each(refused)('are refused with their path: %s', (_, spec, path) => {
    expect(() => compileSpec(spec as ScheduleSpec)).toThrow(expect.objectContaining({ path }));
  });

  it('cost no more than an evaluation may, also where ten thousand of them lie apart', () => {
    const each = (step: number, count: number) =>
      Array.from({ length: count }, (_, index) => dayAt('1971-01-01', index * step)).join(' ');
    const spec = {
      cron: '0 2 * * *',
      timezone: 'Europe/Berlin',
      skipDays: ['x'],
      calendarDays: { x: each(4, 10_000) },
    };
    expect(stepsOf(() => compileSpec(spec))).toBeLessThan((STEPS_AT_MOST * 2) / 3);
    const compiled = compileSpec(spec);
    const [from, to] = [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)];
    expect(stepsOf(() => compiled.next(from))).toBeLessThan(5_000);
    expect(stepsOf(() => compiled.previous(from))).toBeLessThan(5_000);
    expect(stepsOf(() => compiled.count(from, to))).toBeLessThan(100_000);
    expect(() => compileSpec({ ...spec, calendarDays: { x: each(1, 10_001) } })).toThrow(/more than 10,000 days/);
    // A spec whose occurrences are all on skipped days is refused quickly.
    const never = compileSpec({ cron: '0 2 * * MON', skipDays: ['x'], calendarDays: { x: each(1, 9_999) } });
    expect(stepsOf(() => never.next(0))).toBeLessThanOrEqual(STEPS_AT_MOST);
    expect(() => compileSpec({ ...spec, skipDays: Array.from({ length: 1_001 }, () => '2026-01-01') })).toThrow(
      InvalidScheduleError,
    );
  });
});
