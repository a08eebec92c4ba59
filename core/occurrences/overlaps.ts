import { bitFrom } from './bits';
import type { BitSet } from './calendar/day-set';
import { LAST_SECOND, SECONDS_PER_DAY } from './civil';
import { countInterval, type Interval, intersect, nextOfInterval } from './interval';
import { spend } from './steps';

/**
 * Intervals shorter than this many seconds are counted by their remainder, since enumerating their instants of a whole
 * day would cost more.
 */
const WALK_FROM = 3600;
const MOST_OVERLAPS = 1024;
/** Some 300 intervals that share no instants. */
const MOST_COMPARED = 50_000;
const STEPS_TO_INTERSECT = 5;
const STEPS_A_STRETCH = 3;
const LOOKED_UP_IN_A_STEP = 4;

/** Instants that some intervals share, and that must be added or subtracted so that each instant counts once. */
export interface Overlap {
  interval: Interval;
  sign: number;
}

/**
 * The overlaps of all sets of intervals that share instants, by inclusion and exclusion: sets of an odd number of
 * intervals are added, and sets of an even number are subtracted. Returns undefined if there are too many sets, or if
 * finding them would take too long.
 */
export function overlapsOf(intervals: readonly Interval[]): Overlap[] | undefined {
  let overlaps: Overlap[] = [];
  let compared = 0;
  for (const interval of intervals) {
    compared += overlaps.length;
    if (compared > MOST_COMPARED) return undefined;
    spend(overlaps.length * STEPS_TO_INTERSECT);
    const shared = overlaps.flatMap((overlap) => {
      const both = intersect(overlap.interval, interval, LAST_SECOND);
      return both === undefined ? [] : [{ interval: both, sign: -overlap.sign }];
    });
    overlaps = [...overlaps, ...shared, { interval, sign: 1 }];
    if (overlaps.length > MOST_OVERLAPS) return undefined;
  }
  return overlaps;
}

/** All instants of some intervals. Each instant counts once. */
export interface IntervalUnion {
  readonly isEmpty: boolean;
  /** How many instants lie in `from … upTo`, both inclusive. */
  count(from: number, upTo: number): number;
  /** How many coincide with times of a set, on some days of the month that begins at `start`. */
  countOn(set: BitSet, days: number, start: number): number;
  /** How many coincide with times of a set, between two times of the day that begins at `midnight`. */
  countBetween(set: BitSet, midnight: number, from: number, to: number): number;
}

/** Counts by inclusion and exclusion: the cost does not depend on the length of the time. */
export class SummedUnion implements IntervalUnion {
  constructor(private readonly overlaps: readonly Overlap[]) {}

  get isEmpty(): boolean {
    return this.overlaps.length === 0;
  }

  count(from: number, upTo: number): number {
    spend(this.overlaps.length);
    return this.sum((interval) => countInterval(interval, from, upTo));
  }

  countOn(set: BitSet, days: number, start: number): number {
    return this.sum((interval) => countShared(interval, set, days, start));
  }

  countBetween(set: BitSet, midnight: number, from: number, to: number): number {
    return this.sum((interval) => countSharedBetween(interval, set, midnight, from, to));
  }

  private sum(countOf: (interval: Interval) => number): number {
    let total = 0;
    for (const { interval, sign } of this.overlaps) total += sign * countOf(interval);
    return total;
  }
}

/** How many instants of an interval coincide with times of a set, on some days of the month that begins at `start`. */
export function countShared(interval: Interval, set: BitSet, days: number, start: number): number {
  if (set.count === SECONDS_PER_DAY) return countOn(interval, days, start);
  const { every, phase } = interval;
  let count = 0;
  for (let rest = days; rest !== 0; rest &= rest - 1) {
    const midnight = start + bitFrom(rest, 0) * SECONDS_PER_DAY;
    count +=
      every < WALK_FROM
        ? set.countResidue(every, residue(phase - midnight, every))
        : countSharedBetween(interval, set, midnight, 0, SECONDS_PER_DAY);
  }
  return count;
}

/** Counts on whole days; consecutive days form one range. */
function countOn(interval: Interval, days: number, start: number): number {
  let count = 0;
  for (let rest = days; rest !== 0; ) {
    const first = bitFrom(rest, 0);
    const end = bitFrom(~rest, first);
    spend(STEPS_A_STRETCH);
    count += countInterval(interval, start + first * SECONDS_PER_DAY, start + end * SECONDS_PER_DAY - 1);
    rest &= -1 << end;
  }
  return count;
}

/**
 * How many instants of an interval coincide with times of a set, between two times of the day that begins at
 * `midnight`.
 */
export function countSharedBetween(
  interval: Interval,
  set: BitSet,
  midnight: number,
  from: number,
  to: number,
): number {
  spend(STEPS_A_STRETCH);
  if (set.count === SECONDS_PER_DAY) return countInterval(interval, midnight + from, midnight + to - 1);
  spend((to - from) / interval.every / LOOKED_UP_IN_A_STEP);
  let count = 0;
  for (let t = nextOfInterval(interval, midnight + from) - midnight; t < to; t += interval.every)
    if (set.has(t)) count++;
  return count;
}

function residue(value: number, modulus: number): number {
  const remainder = value % modulus;
  return remainder < 0 ? remainder + modulus : remainder;
}
