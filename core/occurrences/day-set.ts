import { countBits } from './bits';
import { SECONDS_PER_DAY } from './civil';
import { countTimes, countTimesBefore, firstTime, type Times, timeFrom } from './time-of-day';

/** The times of one day that some calendars together have: a bit for each second of the day, or a product. */
export interface DaySet {
  readonly count: number;
  /** How many times lie in `from … to`, `to` exclusive. */
  countBetween(from: number, to: number): number;
}

/** The times of one calendar alone need no bits: hours × minutes × seconds. */
export function productSet(times: Times): DaySet {
  return {
    count: countTimes(times),
    countBetween: (from, to) => countTimesBefore(times, to) - countTimesBefore(times, from),
  };
}

/** A union of times, minus another. */
export class BitSet implements DaySet {
  readonly words = new Int32Array(SECONDS_PER_DAY / 32);
  readonly count: number;
  private histograms: Map<number, Int32Array> | undefined;

  constructor(union: readonly Times[], minus: readonly Times[]) {
    for (const times of union) {
      eachTime(times, (time) => {
        this.words[time >>> 5]! |= 1 << (time & 31);
      });
    }
    for (const times of minus) {
      eachTime(times, (time) => {
        this.words[time >>> 5]! &= ~(1 << (time & 31));
      });
    }
    let count = 0;
    for (const word of this.words) count += countBits(word);
    this.count = count;
  }

  has(time: number): boolean {
    return (this.words[time >>> 5]! & (1 << (time & 31))) !== 0;
  }

  countBetween(from: number, to: number): number {
    return this.countBefore(to) - this.countBefore(from);
  }

  /** How many times are `residue` modulo `every`. */
  countResidue(every: number, residue: number): number {
    this.histograms ??= new Map();
    let histogram = this.histograms.get(every);
    if (histogram === undefined) {
      histogram = new Int32Array(every);
      for (let time = 0; time < SECONDS_PER_DAY; time++) if (this.has(time)) histogram[time % every]!++;
      this.histograms.set(every, histogram);
    }
    return histogram[residue]!;
  }

  private countBefore(time: number): number {
    const full = time >>> 5;
    let count = 0;
    for (let i = 0; i < full; i++) count += countBits(this.words[i]!);
    return (time & 31) === 0 ? count : count + countBits(this.words[full]! & ~(-1 << (time & 31)));
  }
}

function eachTime(times: Times, visit: (time: number) => void): void {
  for (let time = firstTime(times); time >= 0; time = time + 1 < SECONDS_PER_DAY ? timeFrom(times, time + 1) : -1) {
    visit(time);
  }
}
