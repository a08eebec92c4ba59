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
 * intervals are added, and sets of an even number are subtracted. Returns undefined if there are too many sets.
 */
export function overlapsOf(intervals: readonly Interval[]): Overlap[] | undefined {
  let overlaps: Overlap[] = [];
  for (const interval of intervals) {
    spend(overlaps.length * STEPS_TO_INTERSECT);
    const shared = overlaps.flatMap((overlap) => {
      const both = intersect(overlap.interval, interval, LAST_SECOND);
      return both === undefined ? [] : [{ interval: both, sign: -overlap.sign }];
    });
    overlaps = [...overlaps, ...shared, { interval, sign: 1 }];
    if (overlaps.length > Math.max(MOST_OVERLAPS, intervals.length)) return undefined;
  }
  return overlaps;
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
