import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planOccurrences } from '../../../core/decisions/catchup';
import { InvalidScheduleError } from '../../../core/errors';
import { compileSpec, nextOccurrences } from '../../../core/occurrences';
import { MONTH_NAMES } from '../../../core/occurrences/fields';
import { STEPS_AT_MOST, stepsOf } from '../../../core/occurrences/steps';
import type { ScheduleSpec } from '../../../core/schedule/spec';

const EVERY_SECOND = { second: '*', minute: '*', hour: '*' } as const;
const PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47];
const NOW = Date.UTC(2026, 10, 23);
const YEAR = 365 * 86_400_000;

function refusal(work: () => unknown): InvalidScheduleError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof InvalidScheduleError) return error;
    throw error;
  }
}

const intervals = (primes: number[]) => primes.map((n) => ({ every: n * 1000 }));

/** Every calculation that a client or a trigger makes with a spec. */
function askAll(spec: ScheduleSpec, at: number): void {
  const compiled = compileSpec(spec, { scheduleId: 'hostile' });
  const questions: (() => unknown)[] = [
    () => compiled.next(at),
    () => compiled.previous(at),
    () => compiled.count(at - 20 * YEAR, at),
    () => compiled.startTime(at),
    () => nextOccurrences(spec, { after: new Date(at), count: 20, scheduleId: 'hostile' }),
    () =>
      planOccurrences(compiled, {
        answeredTo: at - 3 * YEAR,
        now: at,
        catchupWindowMilliseconds: YEAR,
        catchupLimit: 100,
        firingsAtMost: 50,
      }),
  ];
  for (const question of questions) refusal(question);
}

describe('a spec that takes too long to evaluate', () => {
  it.each<[string, ScheduleSpec]>([
    [
      'eleven intervals that share instants, and a long skip',
      { intervals: intervals(PRIMES.slice(0, 11)), skip: [{ ...EVERY_SECOND, year: { start: 2026, end: 2060 } }] },
    ],
    [
      'a month of whole days skipped one by one, where the clock changes',
      {
        cron: '* * * * * *',
        skip: Array.from({ length: 31 }, (_, i) => ({ ...EVERY_SECOND, dayOfMonth: i + 1 })),
        timezone: 'Africa/Casablanca',
      },
    ],
  ])('is refused with the path of what makes it slow: %s', (_, spec) => {
    const error = refusal(() => nextOccurrences(spec, { after: new Date(NOW), count: 1 }));
    expect(error?.path).toBe('spec.skip');
    expect(error?.problem).toMatch(/takes too long to evaluate/);
  });

  it('still gives the times before those that are slow to find, as many as are asked for', () => {
    const skip = [{ ...EVERY_SECOND, year: { start: 2027, end: 2060 } }];
    const spec = { intervals: intervals(PRIMES.slice(0, 11)), skip };
    const after = new Date(Date.parse('2027-01-01T00:00:00Z') - 2_500);
    const [first] = nextOccurrences(spec, { after, count: 1 });
    expect(first! < new Date('2027-01-01T00:00:00Z')).toBe(true);
    expect(refusal(() => nextOccurrences(spec, { after: first!, count: 1 }))?.path).toBe('spec.skip');
  });

  it('is refused when it comes to that, however far in the future', () => {
    const spec = {
      intervals: intervals(PRIMES.slice(0, 11)),
      skip: [{ ...EVERY_SECOND, year: { start: 2040, end: 2099 } }],
    };
    const next = (after: number) => refusal(() => nextOccurrences(spec, { after: new Date(after), count: 1 }));
    expect(next(NOW)).toBeUndefined();
    expect(next(Date.UTC(2041, 0, 1))?.path).toBe('spec.skip');
  });

  it('is refused for its parts alone: too many of them, or of their values', () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => i);
    expect(refusal(() => compileSpec({ cron: many(1_001).map(() => '* * * * *') }))).toMatchObject({
      path: 'spec.cron',
      problem: 'has 1001 entries; at most 1,000 are allowed',
    });
    expect(refusal(() => compileSpec({ at: many(10_001).map((n) => new Date(n * 1000)) }))?.path).toBe('spec.at');
    const ranges = many(40_000).map(() => ({ start: 0, end: 59 }));
    expect(refusal(() => compileSpec({ calendars: [{ minute: ranges }] }))?.path).toBe('spec');
    const lists = many(900).map(
      (i) =>
        `${many(400)
          .join('/2,')
          .replace(/\d+/g, (n) => `${+n % 60}`)} ${i % 24} * * *`,
    );
    expect(refusal(() => compileSpec({ cron: lists }))).toBeInstanceOf(InvalidScheduleError);
  });

  it('of any form is refused as an invalid schedule or answers; nothing hangs', () => {
    const year = fc.integer({ min: 2000, max: 2100 });
    const calendar = fc.oneof(
      fc.constant(EVERY_SECOND),
      fc.record({ ...Object.fromEntries(Object.entries(EVERY_SECOND).map(([k, v]) => [k, fc.constant(v)])), year }),
      fc.tuple(fc.nat(59), year, year).map(([end, a, b]) => ({
        ...EVERY_SECOND,
        second: { start: 0, end: Math.max(1, end) },
        year: { start: Math.min(a, b), end: Math.max(a, b) },
      })),
      fc.nat(59).map((minute) => ({ ...EVERY_SECOND, minute })),
    );
    const hostile = fc.record({
      timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Africa/Casablanca'),
      intervals: fc.subarray(intervals(PRIMES)),
      calendars: fc.array(calendar, { maxLength: 3 }),
      cron: fc.array(fc.constantFrom('* * * * * *', '0-58 * * * * *', '0 0 30 2 *', '0 0 29 2 1'), { maxLength: 3 }),
      cronExpressions: fc.array(fc.constantFrom('0-58 * * * * * *', '* * * * *', '0 0 29 2 1'), { maxLength: 3 }),
      skip: fc.array(calendar, { maxLength: 3 }),
      jitter: fc.constantFrom(0, 60_000),
    });
    const instant = fc.integer({ min: 0, max: 4_133_980_799 }).map((second) => second * 1000);
    fc.assert(
      fc.property(hostile, instant, (spec, at) => askAll(spec as ScheduleSpec, at)),
      { numRuns: 100 },
    );
  });
});

describe('a step', () => {
  const after = Date.UTC(2026, 0, 1);
  const share = (work: () => unknown) => stepsOf(work) / STEPS_AT_MOST;

  it('is spent on what a long skip leaves of intervals: all of a day at once', () => {
    const spec = { intervals: intervals(PRIMES.slice(0, 8)), skip: [EVERY_SECOND] };
    const compiled = compileSpec(spec);
    const days = (count: number) => stepsOf(() => compiled.count(after, after + count * 86_400_000));
    // The first count also reads the months of `skip`.
    days(28);
    expect(days(28) / days(1)).toBeLessThan(2);
    expect(compiled.count(after, after + YEAR)).toBe(0);
  });
  it('is spent around a change of the clock for each calendar and hour, not for each second', () => {
    const changes = (cronExpressions: string[]) => {
      const compiled = compileSpec({ cronExpressions, timezone: 'Europe/Berlin' });
      return share(() => compiled.count(after, after + 20 * YEAR));
    };
    expect(changes(['* * * * * * *'])).toBeLessThan(0.15);
    expect(changes(['* * * * * * *']) / changes(['0 * * * * * *'])).toBeLessThan(1.5);
  });
  it('is spent on an expression by what is written, known or not', () => {
    const compile = () => stepsOf(() => compileSpec({ cron: '7,8,9 1-5 * * *' }));
    expect(compile()).toBe(compile());
    const spaces = stepsOf(() => compileSpec({ cronExpressions: [`0 ${' '.repeat(4_000)} 0 * * *`] }));
    expect(spaces).toBeGreaterThan(4_000);
  });
});

describe('a spec that is only slow', () => {
  it('is counted over a month of missed times: intervals that rarely coincide, and daily ones at 600 times', () => {
    const month = 30 * 86_400_000;
    const counted = (spec: ScheduleSpec) => compileSpec(spec).count(NOW - month, NOW);
    const minutes = Array.from({ length: 20 }, (_, i) => ({ every: (60 + i) * 1_000 }));
    expect(counted({ intervals: minutes })).toBeGreaterThan(500_000);
    const nights = [{ ...EVERY_SECOND, hour: { start: 0, end: 7 } }];
    expect(counted({ intervals: minutes, skip: nights, timezone: 'Europe/Berlin' })).toBeGreaterThan(300_000);
    const daily = Array.from({ length: 600 }, (_, i) => ({ every: '1 day', offset: i * 120_000 }) as const);
    expect(counted({ intervals: daily })).toBe(30 * 600);
  });
  it('finds its next time where it skips weekends: intervals that rarely coincide', () => {
    const intervals = Array.from({ length: 20 }, (_, i) => ({ every: (60 + i) * 1_000 }));
    const spec: ScheduleSpec = { intervals, skip: [{ ...EVERY_SECOND, dayOfWeek: ['SATURDAY', 'SUNDAY'] }] };
    const compiled = compileSpec(spec);
    const monday = Date.UTC(2026, 10, 23);
    expect(compiled.next(monday - 2 * 86_400_000)).toBe(compileSpec({ intervals }).next(monday - 1));
  });
  it('takes a small share of the budget where it is written as people write it', () => {
    const heavy: Record<string, ScheduleSpec> = {
      'each second of the server, where the clock changes': {
        cronExpressions: ['* * * * * * *'],
        timezone: 'Europe/Berlin',
      },
      'the rarest day': { cronExpressions: ['0 0 29 2 1'], timezone: 'America/New_York' },
      'office hours without holidays': {
        cron: '*/5 9-17 * * 1-5',
        skip: Array.from({ length: 60 }, (_, i) => ({
          ...EVERY_SECOND,
          year: 2025 + (i % 5),
          month: 'DECEMBER' as const,
          dayOfMonth: (i % 28) + 1,
        })),
        timezone: 'Europe/Berlin',
      },
      'a calendar for each day of a year': {
        calendars: Array.from({ length: 365 }, (_, i) => ({ dayOfMonth: (i % 28) + 1, minute: i % 60 })),
      },
      'a hundred expressions': { cron: Array.from({ length: 100 }, (_, i) => `${i % 60} ${i % 24} * * ${i % 7}`) },
      'five thousand instants': { at: Array.from({ length: 5_000 }, (_, i) => new Date(NOW + i * 60_000)) },
    };
    const shares = Object.entries(heavy).map(([name, spec]) => {
      const compiled = compileSpec(spec);
      const questions = [
        () => nextOccurrences(spec, { after: new Date(NOW), count: 5 }),
        () => compiled.previous(NOW),
        () => compiled.count(NOW - YEAR, NOW),
      ];
      return [name, Math.max(...questions.map((question) => stepsOf(question) / STEPS_AT_MOST))] as const;
    });
    expect(shares.filter(([, share]) => share > 1 / 2)).toEqual([]);
  });
  it('takes a small share of the budget where office hours are written as skips: nights, weekends and holidays', () => {
    const skip = [
      { ...EVERY_SECOND, hour: [{ start: 18, end: 23 }, 0, 1, 2, 3, 4, 5, 6] },
      { ...EVERY_SECOND, dayOfWeek: ['SATURDAY', 'SUNDAY'] as const },
      ...MONTH_NAMES.map((month, i) => ({ ...EVERY_SECOND, month, dayOfMonth: i === 11 ? 25 : i + 1 })),
    ];
    const instants = ['2026-11-27T18:00Z', '2026-11-28T12:00Z', '2026-11-26T02:00Z', '2026-12-24T18:00Z'].map(
      Date.parse,
    );
    const shares = ['0 * * * *', '*/5 * * * *'].flatMap((cron) => {
      const compiled = compileSpec({ cron, skip: skip as never, timezone: 'Europe/Berlin' });
      return instants.flatMap((at) => {
        const plan = { answeredTo: at - 60_000, now: at, catchupWindowMilliseconds: YEAR, catchupLimit: 100 };
        const questions = {
          next: () => compiled.next(at),
          previous: () => compiled.previous(at),
          plan: () => planOccurrences(compiled, { ...plan, firingsAtMost: 1_000 }),
        };
        return Object.entries(questions).map(([name, question]) => {
          return [cron, new Date(at), name, stepsOf(question) / STEPS_AT_MOST] as const;
        });
      });
    });
    expect(shares.filter(([, , , share]) => share > 1 / 5)).toEqual([]);
  });
  it('takes a small share of the budget where its skips leave nothing at all', () => {
    const compiled = compileSpec({ cron: '*/5 * * * *', skip: [EVERY_SECOND], timezone: 'Europe/Berlin' });
    for (const question of [() => compiled.next(NOW), () => compiled.previous(NOW)]) {
      expect(question()).toBeUndefined();
      expect(stepsOf(question) / STEPS_AT_MOST).toBeLessThan(1 / 5);
    }
  });
  it('is evaluated: the rarest day, a second of each minute, a day of each year, every second of a year', () => {
    const after = new Date(NOW);
    const leap = { cronExpressions: ['0 0 29 2 1'], skip: [{ dayOfWeek: 'TUESDAY' as const }] };
    const both = { calendars: [{ dayOfMonth: 29, month: 'FEBRUARY' as const, dayOfWeek: 'MONDAY' as const }] };
    for (const timezone of ['UTC', 'America/New_York', 'Asia/Gaza']) {
      expect(nextOccurrences({ ...leap, timezone }, { after, count: 9 })).toHaveLength(2);
      expect(nextOccurrences({ ...both, timezone }, { after, count: 9 })).toHaveLength(2);
    }
    const oneMinute = { cron: '* * * * *', skip: [{ hour: '*' as const, minute: { start: 1, end: 59 } }] };
    expect(nextOccurrences(oneMinute, { after, count: 5_000 })).toHaveLength(5_000);
    const days = Array.from({ length: 365 }, (_, i) => ({
      dayOfMonth: (i % 28) + 1,
      month: 'MAY' as const,
      minute: i % 60,
    }));
    expect(nextOccurrences({ calendars: days }, { after, count: 1_000 })).toHaveLength(1_000);
    const seconds = compileSpec({ calendars: [EVERY_SECOND], timezone: 'Europe/Berlin' });
    expect(seconds.count(Date.UTC(2025, 0, 1), Date.UTC(2026, 0, 1))).toBeGreaterThan(31_000_000);
    const offset = Array.from({ length: 48 }, (_, i) => ({ every: '1 day', offset: i * 60_000 }) as const);
    const skip = [{ ...EVERY_SECOND, dayOfWeek: ['SATURDAY', 'SUNDAY'] as const }];
    const shifts = compileSpec({ intervals: offset, skip: skip as never });
    expect(shifts.count(Date.UTC(2020, 0, 1), Date.UTC(2026, 0, 1))).toBe(48 * 1_566);
  });
});
