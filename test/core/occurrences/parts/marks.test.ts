import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BitSet } from '../../../../core/occurrences/calendar/day-set';
import { SECONDS_PER_DAY } from '../../../../core/occurrences/civil';
import { compileSpec } from '../../../../core/occurrences/compile';
import type { Interval } from '../../../../core/occurrences/interval';
import { MarkedUnion } from '../../../../core/occurrences/marks';
import { overlapsOf, SummedUnion } from '../../../../core/occurrences/overlaps';
import { stepsOf } from '../../../../core/occurrences/steps';
import { calendarOfCron } from '../server/temporal-clock';

const every = (seconds: number, phase = 0): Interval => ({ every: seconds, phase });
const setOf = (...crons: string[]) => new BitSet(crons.map(calendarOfCron), []);
const SETS = [setOf('* * * * * * *'), setOf('0 */15 * * * * *'), setOf('1/2 * 0,23 * * * *'), new BitSet([], [])];

const anyIntervals = fc.array(
  fc
    .tuple(fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 300_000 })), fc.nat())
    .map(([seconds, n]) => every(seconds, n % seconds)),
  { minLength: 1, maxLength: 6 },
);
const time = fc.oneof(fc.nat({ max: SECONDS_PER_DAY }), fc.constantFrom(0, 31, 32, 33, 86_399, SECONDS_PER_DAY));
const anyRange = fc.tuple(time, time).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
/** Midnights in several zones, some of them before 1970. */
const midnight = fc.integer({ min: -1_000, max: 4_000_000 }).map((n) => n * 900);

describe('instants that are marked', () => {
  const both = (intervals: Interval[]) =>
    [new MarkedUnion(intervals), new SummedUnion(overlapsOf(intervals)!)] as const;

  it('count once each, as by inclusion and exclusion', () => {
    fc.assert(
      fc.property(anyIntervals, midnight, fc.nat({ max: 300_000 }), (intervals, from, length) => {
        const [marked, summed] = both(intervals);
        expect(marked.count(from, from + length)).toBe(summed.count(from, from + length));
      }),
      { numRuns: 200 },
    );
  });

  it('count once each on days and in parts of days whose times a set has', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SETS),
        anyIntervals,
        midnight,
        anyRange,
        fc.nat(),
        (set, intervals, start, range, days) => {
          const [marked, summed] = both(intervals);
          expect(marked.countBetween(set, start, ...range)).toBe(summed.countBetween(set, start, ...range));
          expect(marked.countOn(set, days, start)).toBe(summed.countOn(set, days, start));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('take steps by their number, for each interval, and for the length of the time', () => {
    const steps = (count: number, seconds: number, length: number) =>
      Math.round(stepsOf(() => new MarkedUnion(Array(count).fill(every(seconds))).count(0, length - 1)));
    const [day, minutes] = [SECONDS_PER_DAY, 60];
    const ofWords = day / 32 / 12;
    expect(steps(1, day, day)).toBe(ofWords + 1);
    expect(steps(9, day, day)).toBe(ofWords + 9 + 1);
    expect(steps(1, minutes, day) - steps(1, day, day)).toBe(day / minutes / 12);
    expect(steps(1, minutes, day) / steps(1, minutes, 7 * day)).toBeCloseTo(1 / 7, 2);
    expect(steps(100, minutes, 10)).toBeLessThan(110);
  });
});

describe('more intervals than can be added up', () => {
  const primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
  const intervals = primes.map((prime) => ({ every: prime * 1000 }));
  const recurs = (second: number) => primes.some((prime) => second % prime === 0);

  it('are counted as each of them says', () => {
    const seconds = Array.from({ length: 500 }, (_, index) => 1_000 + index);
    expect(compileSpec({ intervals }).count(999_999, 1_499_999)).toBe(seconds.filter(recurs).length);
  });

  it('are counted beside calendars, and without what skip covers, on days and parts of days', () => {
    const compiled = compileSpec({
      intervals,
      cron: '41 */7 * * * *',
      skip: [{ hour: { start: 9, end: 17 }, minute: '*', second: '*' }],
    });
    const has = (second: number) => {
      const [hour, minute] = [Math.floor(second / 3_600) % 24, Math.floor(second / 60) % 60];
      return (recurs(second) || (second % 60 === 41 && minute % 7 === 0)) && (hour < 9 || hour > 17);
    };
    const hours = (from: number, to: number) => Array.from({ length: 3_600 * (to - from) }, (_, n) => 3_600 * from + n);
    for (const [from, to] of [
      [0, 72],
      [7, 11],
      [16, 50],
    ] as const)
      expect(compiled.count(from * 3_600_000 - 1, to * 3_600_000 - 1)).toBe(hours(from, to).filter(has).length);
  });
});
