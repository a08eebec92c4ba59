import { describe, expect, it } from 'vitest';
import {
  countInterval,
  type Interval,
  intersect,
  intervalFrom,
  intervalHas,
  nextOfInterval,
  previousOfInterval,
} from '../../../../core/occurrences/interval';

/** The instants of an interval in `0 … upTo`, by a test of each second. */
const secondsOf = ({ every, phase }: Interval, upTo: number) =>
  Array.from({ length: upTo + 1 }, (_, second) => second).filter((second) => (second - phase) % every === 0);

describe('an interval', () => {
  it.each([
    ['from the epoch', 10, 0, 0],
    ['from within the first time', 10, 3, 3],
    ['from its own length, which is the epoch again', 10, 10, 0],
    ['from far ahead', 10, 10_000_003, 3],
    ['from before the epoch', 10, -3, 7],
    ['from a whole length before the epoch', 10, -10, 0],
    ['of one second', 1, 5, 0],
  ])('begins in its first length, %s', (_, every, start, phase) => {
    // Not -0, which Object.is tells from 0.
    expect(intervalFrom(every, start).phase + 0).toBe(phase);
    expect(intervalFrom(every, start).every).toBe(every);
  });

  it.each([
    // [second, next, previous]
    [3, 3, 3],
    [4, 13, 3],
    [12, 13, 3],
    [13, 13, 13],
    [2, 3, -7],
    [-7, -7, -7],
    [-8, -7, -17],
    [1_000_000_000, 1_000_000_003, 999_999_993],
  ])('of 10 s after 3 s has, seen from %d, the instant %d ahead and %d behind', (second, next, previous) => {
    const interval = { every: 10, phase: 3 };
    expect(nextOfInterval(interval, second)).toBe(next);
    expect(previousOfInterval(interval, second)).toBe(previous);
    expect(intervalHas(interval, second)).toBe(next === second);
  });

  it.each([
    ['both ends are instants', 3, 23, 3],
    ['the first end is not', 4, 23, 2],
    ['the last end is not', 3, 22, 2],
    ['only its instant', 13, 13, 1],
    ['between two instants', 4, 12, 0],
    ['one second that is none', 4, 4, 0],
    ['an empty stretch at an instant', 13, 12, 0],
    ['a turned stretch', 100, 3, 0],
    ['across the epoch', -7, 3, 2],
  ])('has both ends of a stretch in its count: %s', (_, from, upTo, count) => {
    expect(countInterval({ every: 10, phase: 3 }, from, upTo)).toBe(count);
  });
});

describe('the instants that two intervals share', () => {
  it.each<[string, Interval, Interval, Interval | undefined]>([
    ['every 4 s and every 6 s', { every: 4, phase: 0 }, { every: 6, phase: 0 }, { every: 12, phase: 0 }],
    ['2 mod 4 and 0 mod 6', { every: 4, phase: 2 }, { every: 6, phase: 0 }, { every: 12, phase: 6 }],
    ['3 mod 4 and 5 mod 6', { every: 4, phase: 3 }, { every: 6, phase: 5 }, { every: 12, phase: 11 }],
    ['1 mod 5 and 2 mod 7', { every: 5, phase: 1 }, { every: 7, phase: 2 }, { every: 35, phase: 16 }],
    ['2 mod 7 and 1 mod 5', { every: 7, phase: 2 }, { every: 5, phase: 1 }, { every: 35, phase: 16 }],
    ['one within the other', { every: 3, phase: 1 }, { every: 9, phase: 4 }, { every: 9, phase: 4 }],
    ['an interval and itself', { every: 9, phase: 4 }, { every: 9, phase: 4 }, { every: 9, phase: 4 }],
    ['even and odd seconds', { every: 2, phase: 0 }, { every: 2, phase: 1 }, undefined],
    ['even seconds and 3 mod 4', { every: 2, phase: 0 }, { every: 4, phase: 3 }, undefined],
    ['every second and 5 mod 60', { every: 1, phase: 0 }, { every: 60, phase: 5 }, { every: 60, phase: 5 }],
  ])('are an interval, or none: %s', (_, one, other, shared) => {
    expect(intersect(one, other, 1_000_000)).toEqual(shared);
  });

  it('are those that a look at each second finds, for each pair of short intervals', () => {
    const short = [1, 2, 3, 4, 5, 6, 8, 9, 10].flatMap((every) =>
      Array.from({ length: every }, (_, phase) => ({ every, phase })),
    );
    const wrong = short.flatMap((one) =>
      short.filter((other) => {
        const shared = intersect(one, other, 200);
        const both = secondsOf(one, 200).filter((second) => intervalHas(other, second));
        return both.join() !== (shared === undefined ? '' : secondsOf(shared, 200).join());
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('count only up to the horizon, which is included', () => {
    const [one, other] = [
      { every: 5, phase: 1 },
      { every: 7, phase: 2 },
    ];
    expect(intersect(one, other, 16)).toEqual({ every: 35, phase: 16 });
    expect(intersect(one, other, 15)).toBeUndefined();
  });

  it('are exact beyond the numbers that are exact in floating point', () => {
    // Two primes; 35,184,372,088,832 is 2^45.
    const [p, q] = [94_906_249, 94_906_247];
    const one = { every: p, phase: 5 };
    expect(intersect(one, { every: q, phase: 5 }, 10)).toEqual({ every: 2 ** 52, phase: 5 });
    // The first second after 5 that both have is far beyond any horizon.
    expect(intersect(one, { every: q, phase: 6 }, 4_133_980_799)).toBeUndefined();
    expect(intersect({ every: 2 ** 26, phase: 1 }, { every: 2 ** 26 - 1, phase: 1 }, 10)).toEqual({
      every: 2 ** 26 * (2 ** 26 - 1),
      phase: 1,
    });
  });
});
