import { describe, expect, it } from 'vitest';
import { BitSet } from '../../../../core/occurrences/calendar/day-set';
import { SECONDS_PER_DAY } from '../../../../core/occurrences/civil';
import { countInterval, type Interval, intervalHas } from '../../../../core/occurrences/interval';
import { countShared, countSharedBetween, overlapsOf } from '../../../../core/occurrences/overlaps';
import { STEPS_AT_MOST, stepsOf } from '../../../../core/occurrences/steps';
import { calendarOfCron } from '../server/temporal-clock';

const every = (seconds: number, phase = 0): Interval => ({ every: seconds, phase });
const setOf = (...crons: string[]) => new BitSet(crons.map(calendarOfCron), []);
const seconds = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

/** By a test of each second of some days. */
function slow(interval: Interval, set: BitSet, days: readonly number[], start: number): number {
  return days.flatMap((day) =>
    seconds(0, SECONDS_PER_DAY).filter(
      (time) => set.has(time) && intervalHas(interval, start + day * SECONDS_PER_DAY + time),
    ),
  ).length;
}

describe('the overlaps of intervals', () => {
  it.each<[string, Interval[]]>([
    ['none', []],
    ['one', [every(7, 3)]],
    ['two that share instants', [every(4), every(6, 2)]],
    ['two that share none', [every(4), every(6, 3)]],
    ['the same twice', [every(5, 1), every(5, 1)]],
    ['three', [every(4), every(6), every(10)]],
    ['five, some of which share instants', [every(2), every(3, 1), every(4, 1), every(6, 5), every(9, 2)]],
  ])('make each instant count once: %s', (_, intervals) => {
    const count = (from: number, upTo: number) =>
      overlapsOf(intervals)!.reduce((sum, { interval, sign }) => sum + sign * countInterval(interval, from, upTo), 0);
    const once = (from: number, upTo: number) =>
      seconds(from, upTo + 1).filter((second) => intervals.some((one) => intervalHas(one, second))).length;
    for (const [from, upTo] of [
      [0, 400],
      [0, 0],
      [17, 59],
      [60, 61],
    ] as const) {
      expect(count(from, upTo)).toBe(once(from, upTo));
    }
  });
  it('leave out sets that first meet after the year 2100', () => {
    const far = [every(94_906_249, 5), every(94_906_247, 6)];
    expect(overlapsOf(far)).toEqual(far.map((interval) => ({ interval, sign: 1 })));
  });
  it('are given up when there are more than 1,024 sets', () => {
    const primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31];
    const sets = (count: number) => overlapsOf(primes.slice(0, count).map((n) => every(n)))?.length;
    // All sets of n intervals but the empty one.
    expect([sets(9), sets(10), sets(11)]).toEqual([511, 1023, undefined]);
  });
  it('may be 1,024 exactly', () => {
    // Ten that all meet, and one that meets none of them: it is even where they are odd.
    const odd = [2, 6, 10, 14, 22, 26, 34, 38, 46, 58].map((n) => every(n, 1));
    expect(overlapsOf([...odd, every(2)])).toHaveLength(1024);
    expect(overlapsOf([...odd, every(4), every(4, 2)])).toBeUndefined();
  });
  it('are given up where there are too many intervals to compare, even if these do not meet', () => {
    const minutes = (count: number) => seconds(0, count).map((phase) => every(1_000, phase));
    expect(overlapsOf(minutes(316))).toHaveLength(316);
    expect(overlapsOf(minutes(317))).toBeUndefined();
    expect(stepsOf(() => overlapsOf(minutes(1_000)))).toBeLessThan(STEPS_AT_MOST / 2);
  });
  it('take more steps the more of them there are', () => {
    const steps = (count: number) => stepsOf(() => overlapsOf(seconds(0, count).map((phase) => every(100, phase))));
    // Each of 80 intervals is compared with those before it: 3,160 pairs.
    expect(steps(80)).toBeGreaterThanOrEqual(3_160);
    expect(steps(80) / steps(40)).toBeGreaterThan(3.9);
  });
});

describe('the instants that an interval and a set share', () => {
  const midnight = Date.UTC(2026, 0, 1) / 1000;
  const sets: [string, BitSet][] = [
    ['each second', setOf('* * * * * * *')],
    ['each quarter of an hour', setOf('0 */15 * * * * *')],
    ['odd seconds of the first and the last hour', setOf('1/2 * 0,23 * * * *')],
    ['a single time', setOf('59 59 23 * * * *')],
    ['nothing', new BitSet([], [])],
  ];
  const intervals = [
    every(1),
    every(7, 3),
    every(60, 59),
    every(3_599, 3_598),
    every(3_600, 3_599),
    every(3_600),
    every(5_000, 123),
    every(SECONDS_PER_DAY, SECONDS_PER_DAY - 1),
    every(SECONDS_PER_DAY * 3, 900),
  ];
  const cases = sets.flatMap(([name, set]) => intervals.map((interval) => [name, interval, set] as const));
  it.each(cases)('are counted on some days of a month: %s, %j', (_, interval, set) => {
    for (const days of [[30], [0, 1, 3]]) {
      const bits = days.reduce((word, day) => word | (1 << day), 0);
      expect([days, countShared(interval, set, bits, midnight)]).toEqual([days, slow(interval, set, days, midnight)]);
    }
    expect(countShared(interval, set, 0, midnight)).toBe(0);
  });
  it('are counted on all 31 days, and where midnight is at another hour', () => {
    expect(countShared(every(7, 3), sets[0]![1], -1 >>> 1, midnight)).toBe(
      countInterval(every(7, 3), midnight, midnight + 31 * SECONDS_PER_DAY - 1),
    );
    for (const offset of [-3_600, 20_700]) {
      for (const [, set] of sets) {
        const start = midnight - offset;
        expect(countShared(every(1_000, 7), set, 5, start)).toBe(slow(every(1_000, 7), set, [0, 2], start));
      }
    }
  });
  it('are counted before 1970 as well, where the zone is ahead of UTC', () => {
    const set = setOf('0 */15 * * * * *');
    expect(countShared(every(1_000, 100), set, 1, -36_000)).toBe(slow(every(1_000, 100), set, [0], -36_000));
  });
  it.each([
    [0, SECONDS_PER_DAY],
    [0, 1],
    [900, 901],
    [900, 900],
    [901, 1_800],
    [901, 1_801],
    [86_399, SECONDS_PER_DAY],
  ])('are counted between two times of a day, the second excluded: %d to %d', (from, to) => {
    for (const [name, set] of sets) {
      for (const interval of intervals) {
        const shared = seconds(from, to).filter((time) => set.has(time) && intervalHas(interval, midnight + time));
        expect([name, interval, countSharedBetween(interval, set, midnight, from, to)]).toEqual([
          name,
          interval,
          shared.length,
        ]);
      }
    }
  });
  it('take steps by their number, for each stretch of days or times', () => {
    const [whole, quarters] = [sets[0]![1], sets[1]![1]];
    const between = (seconds: number, from: number, to: number) =>
      Math.round(stepsOf(() => countSharedBetween(every(seconds), quarters, midnight, from, to)) / 1_000);
    // Four instants of the interval are looked up in a step.
    expect([between(1, 0, 40_000), between(1, 40_000, 80_000), between(2, 0, 80_000)]).toEqual([10, 10, 10]);
    const apart = stepsOf(() => countShared(every(60), whole, 0b10101, midnight));
    const together = stepsOf(() => countShared(every(60), whole, 0b00111, midnight));
    expect(apart).toBe(together * 3);
  });
  it('take as few steps for each time of a day as for one', () => {
    const whole = sets[0]![1];
    const between = (to: number) => stepsOf(() => countSharedBetween(every(1), whole, midnight, 0, to));
    expect(between(80_000)).toBe(between(1));
  });
  it('take few steps for a whole month, be the interval short or long', () => {
    const month = (seconds: number) =>
      stepsOf(() => countShared(every(seconds), setOf('0 */15 * * * * *'), -1 >>> 1, midnight));
    const none = stepsOf(() => setOf('0 */15 * * * * *'));
    // The remainders of a short interval are counted once for all days; the instants of a long one are looked up.
    expect(month(2) - none).toBeLessThan(31_000);
    expect(month(3_600) - none).toBeLessThan(31 * 10);
  });
});
