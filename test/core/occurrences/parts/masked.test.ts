import { describe, expect, it } from 'vitest';
import { compileSpec } from '../../../../core/occurrences';
import { MaskedSpec, type Stretch, withoutTimes } from '../../../../core/occurrences/masked';
import { STEPS_AT_MOST, spend, stepsOf, withinSteps } from '../../../../core/occurrences/steps';
import { at, everyMinute, minuteOf, range } from '../../minutes';

const [AGES, EVER] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

/** Every minute without some stretches, which are given in minutes. */
const masked = (...stretches: [from: number, to: number][]) =>
  new MaskedSpec(
    everyMinute,
    stretches.map(([from, to]): Stretch => ({ from: at(from), to: at(to) })),
  );
const minute = (time: number | undefined) => (time === undefined ? undefined : minuteOf(time));

describe('a spec without some stretches', () => {
  it.each<[string, [number, number][], number, number | undefined, number | undefined]>([
    // [what, stretches, asked, next, previous]
    ['before them', [[10, 20]], 5, 6, 4],
    ['just before the first of them', [[10, 20]], 9, 20, 8],
    ['at the begin of one', [[10, 20]], 10, 20, 9],
    ['within one', [[10, 20]], 15, 20, 9],
    ['at the last occurrence of one', [[10, 20]], 19, 20, 9],
    ['at the end of one, which is not part of it', [[10, 20]], 20, 21, 9],
    ['just after one', [[10, 20]], 21, 22, 20],
    ['after them', [[10, 20]], 25, 26, 24],
    [
      'before two that touch',
      [
        [10, 20],
        [20, 30],
      ],
      9,
      30,
      8,
    ],
    [
      'behind two that touch',
      [
        [10, 20],
        [20, 30],
      ],
      30,
      31,
      9,
    ],
    [
      'between two',
      [
        [10, 20],
        [22, 30],
      ],
      20,
      21,
      9,
    ],
    [
      'between two, at the last occurrence',
      [
        [10, 20],
        [22, 30],
      ],
      21,
      30,
      20,
    ],
    [
      'before many',
      [
        [1, 2],
        [3, 4],
        [5, 6],
        [7, 8],
        [9, 10],
      ],
      8,
      10,
      6,
    ],
    [
      'amid many',
      [
        [1, 2],
        [3, 4],
        [5, 6],
        [7, 8],
        [9, 10],
      ],
      4,
      6,
      2,
    ],
    ['before one without an end', [[10, EVER]], 8, 9, 7],
    ['just before one without an end', [[10, EVER]], 9, undefined, 8],
    ['within one without an end', [[10, EVER]], 1_000, undefined, 9],
    ['after one without a beginning', [[AGES, 20]], 21, 22, 20],
    ['just after one without a beginning', [[AGES, 20]], 20, 21, undefined],
    ['within one without a beginning', [[AGES, 20]], -1_000, 20, undefined],
    ['amid all times', [[AGES, EVER]], 5, undefined, undefined],
    ['amid no stretch', [], 5, 6, 4],
  ])('has the next and the previous time outside of them, seen from %s', (_, stretches, asked, next, previous) => {
    const spec = masked(...stretches);
    expect([minute(spec.next(at(asked))), minute(spec.previous(at(asked)))]).toEqual([next, previous]);
  });

  it('has a stretch that begins and ends between two times', () => {
    const between = new MaskedSpec(everyMinute, [{ from: at(5) + 1, to: at(6) }]);
    expect(minute(between.next(at(5)))).toBe(6);
    expect(minute(between.previous(at(6)))).toBe(5);
    expect(between.count(at(0), at(10))).toBe(10);
    const oneMillisecond = new MaskedSpec(everyMinute, [{ from: at(5), to: at(5) + 1 }]);
    expect(minute(oneMillisecond.next(at(4)))).toBe(6);
    expect(minute(oneMillisecond.previous(at(6)))).toBe(4);
    expect(oneMillisecond.count(at(0), at(10))).toBe(9);
  });

  it('has no time after the last of the spec, nor before the first', () => {
    const hour = compileSpec({ cron: '* * * * *', startAt: new Date(at(0)), endAt: new Date(at(60)) });
    const spec = new MaskedSpec(hour, [
      { from: at(-5), to: at(2) },
      { from: at(58), to: at(61) },
    ]);
    expect([spec.next(at(57)), spec.next(at(60)), spec.next(at(70))]).toEqual([undefined, undefined, undefined]);
    expect([spec.previous(at(2)), spec.previous(at(0)), spec.previous(at(-9))]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([minute(spec.next(at(-9))), minute(spec.previous(at(70)))]).toEqual([2, 57]);
    expect(spec.count(at(-100), at(100))).toBe(56);
  });

  it.each<[string, [number, number][], number, number, number]>([
    ['a stretch within', [[10, 20]], 0, 30, 20],
    ['a stretch that begins with the count, whose first end is not in it', [[0, 20]], 0, 30, 11],
    ['a stretch just after the first end', [[1, 20]], 0, 30, 11],
    ['a stretch before', [[-20, -10]], 0, 30, 30],
    ['a stretch that ends with the first end', [[-20, 0]], 0, 30, 30],
    ['a stretch that ends with the first that counts', [[-20, 1]], 0, 30, 30],
    ['a stretch that holds the first that counts', [[-20, 2]], 0, 30, 29],
    ['a stretch that begins with the last', [[30, 40]], 0, 30, 29],
    ['a stretch just after the last', [[31, 40]], 0, 30, 30],
    ['a stretch that ends with the last', [[20, 30]], 0, 30, 20],
    ['a stretch around', [[-10, 40]], 0, 30, 0],
    ['a stretch without ends', [[AGES, EVER]], 0, 30, 0],
    [
      'several stretches',
      [
        [-20, -10],
        [2, 4],
        [6, 8],
        [29, 35],
        [40, 50],
      ],
      0,
      30,
      24,
    ],
    [
      'several stretches of which none counts',
      [
        [-20, -10],
        [40, 50],
        [60, 70],
      ],
      0,
      30,
      30,
    ],
    ['an empty count', [[10, 20]], 15, 15, 0],
    ['a turned count', [[10, 20]], 30, 0, 0],
  ])('counts what is outside of them, the last end included: %s', (_, stretches, after, through, count) => {
    expect(masked(...stretches).count(at(after), at(through))).toBe(count);
  });

  it('counts what it finds one by one, from and to any minute', () => {
    const spec = masked([3, 6], [6, 7], [9, 10], [12, 15]);
    const kept = range(0, 20).filter((n) => ![3, 4, 5, 6, 9, 12, 13, 14].includes(n));
    for (const from of range(0, 20)) {
      for (const to of range(from, 20)) {
        const between = kept.filter((n) => from < n && n <= to).length;
        expect([from, to, spec.count(at(from), at(to))]).toEqual([from, to, between]);
      }
    }
  });

  it('starts its times as the spec does, with the jitter of the spec', () => {
    const jittered = compileSpec({ cron: '0 * * * *', jitter: '30 minutes' }, { scheduleId: 'nightly' });
    const spec = new MaskedSpec(jittered, [{ from: at(30), to: at(90) }]);
    expect(spec.startTime(at(0))).toBe(jittered.startTime(at(0)));
    expect(spec.startTime(at(0))).toBeGreaterThan(at(0));
  });

  it('is refused as spec if it takes too long to find a time outside of them', () => {
    const stretches = Array.from({ length: 50_000 }, (_, n): Stretch => ({ from: at(n), to: at(n) + 1 }));
    const spec = new MaskedSpec(everyMinute, stretches);
    const refused = expect.objectContaining({ name: 'InvalidScheduleError', path: 'spec' });
    expect(() => spec.next(at(-1))).toThrow(refused);
    expect(() => spec.previous(at(50_000))).toThrow(refused);
    expect(() => spec.count(at(-1), at(50_000))).toThrow(refused);
    expect(minute(spec.next(at(49_990)))).toBe(50_000);
  });

  it('is refused as spec wherever its steps end', () => {
    const spec = masked([1, 2], [4, 6], [8, 9]);
    for (const ask of [() => spec.next(at(3)), () => spec.previous(at(6)), () => spec.count(at(0), at(9))]) {
      for (let left = 0; left < stepsOf(ask); left++) {
        const short = () => {
          spend(STEPS_AT_MOST - left);
          ask();
        };
        expect(() => withinSteps('outer', short)).toThrow('spec: takes too long');
      }
    }
  });
});

describe('a spec without some times', () => {
  it('has all other times, in whatever order they are given', () => {
    const spec = withoutTimes(everyMinute, [at(9), at(100), at(7), at(8), at(-5)]);
    expect([minute(spec.next(at(6))), minute(spec.previous(at(10)))]).toEqual([10, 6]);
    expect(spec.count(at(0), at(20))).toBe(17);
    expect(minute(spec.next(at(99)))).toBe(101);
  });
  it('leaves the given list as it is', () => {
    const times = Object.freeze([at(9), at(7)]);
    expect(minute(withoutTimes(everyMinute, times).next(at(6)))).toBe(8);
  });
  it('is the spec itself if there are none', () => {
    expect(withoutTimes(everyMinute, [])).toBe(everyMinute);
  });
});
