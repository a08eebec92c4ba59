import { bitFrom, countBits } from './bits';
import type { BitSet } from './calendar/day-set';
import { SECONDS_PER_DAY } from './civil';
import { type Interval, nextOfInterval } from './interval';
import type { IntervalUnion } from './overlaps';
import { spend } from './steps';

const MARKED_IN_A_STEP = 12;
const WORDS_IN_A_STEP = 12;

/** A bit for each second of a day. All unions share it, since evaluations are synchronous. */
const MARKS = new Int32Array(SECONDS_PER_DAY / 32);

/** Counts day by day, by marking the instants. The cost depends on their number, not on how the intervals overlap. */
export class MarkedUnion implements IntervalUnion {
  readonly isEmpty = false;

  constructor(private readonly intervals: readonly Interval[]) {}

  count(from: number, upTo: number): number {
    let count = 0;
    for (let start = from; start <= upTo; start += SECONDS_PER_DAY)
      count += this.countMarks(start, 0, Math.min(SECONDS_PER_DAY, upTo + 1 - start));
    return count;
  }

  countOn(set: BitSet, days: number, start: number): number {
    let count = 0;
    for (let rest = days; rest !== 0; rest &= rest - 1)
      count += this.countBetween(set, start + bitFrom(rest, 0) * SECONDS_PER_DAY, 0, SECONDS_PER_DAY);
    return count;
  }

  countBetween(set: BitSet, midnight: number, from: number, to: number): number {
    return this.countMarks(midnight, from, to, set.words);
  }

  /** Counts the instants between two times of the day that begins at `midnight`; of these, only the times in `words`. */
  private countMarks(midnight: number, from: number, to: number, words?: Int32Array): number {
    const [first, end] = [from >>> 5, (to + 31) >>> 5];
    spend((end - first) / WORDS_IN_A_STEP);
    MARKS.fill(0, first, end);
    for (const interval of this.intervals) {
      const { every } = interval;
      spend(1 + (to - from) / every / MARKED_IN_A_STEP);
      for (let time = nextOfInterval(interval, midnight + from) - midnight; time < to; time += every)
        MARKS[time >>> 5]! |= 1 << (time & 31);
    }
    let count = 0;
    for (let word = first; word < end; word++) count += countBits(MARKS[word]! & (words ? words[word]! : -1));
    return count;
  }
}
