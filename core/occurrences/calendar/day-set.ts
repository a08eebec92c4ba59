import { bitFrom, countBits, wideBitFrom } from '../bits';
import { SECONDS_PER_DAY } from '../civil';
import { spend } from '../steps';
import { countTimes, countTimesBefore, type Times } from './time-of-day';

const STEPS_A_SET = 1_000;
const STEPS_AN_HOUR = 100;
const STEPS_A_HISTOGRAM = 30_000;
const STEPS_TO_LOOK_UP = 5;
const WORDS_IN_A_STEP = 4;
/** The maximum number of histograms that one set keeps, each with one entry per second of its interval. */
const MAX_HISTOGRAMS = 16;

/** The times of one day at which some calendars occur, stored as a bit for each second or as a product of fields. */
export interface DaySet {
  readonly count: number;
  /** How many of the set's times lie in `from … to`, the end excluded. */
  countBetween(from: number, to: number): number;
}

/** A single calendar needs no bits, since its times are hours × minutes × seconds. */
export function productSet(times: Times): DaySet {
  return {
    count: countTimes(times),
    countBetween: (from, to) => countTimesBefore(times, to) - countTimesBefore(times, from),
  };
}

/** The times of some calendars without the times of others, as a bit for each second. */
export class BitSet implements DaySet {
  readonly words = new Int32Array(SECONDS_PER_DAY / 32);
  readonly count: number;
  private histograms: Map<number, Int32Array> | undefined;

  constructor(union: readonly Times[], minus: readonly Times[]) {
    spend(STEPS_A_SET);
    for (const times of union) eachWord(times, (word, bits) => this.set(word, bits));
    for (const times of minus) eachWord(times, (word, bits) => this.clear(word, bits));
    this.count = countWords(this.words, 0, this.words.length);
  }

  has(time: number): boolean {
    return (this.words[time >>> 5]! & (1 << (time & 31))) !== 0;
  }

  countBetween(from: number, to: number): number {
    if (from >= to) return 0;
    const first = from >>> 5;
    const last = (to - 1) >>> 5;
    const head = -1 << (from & 31);
    const tail = -1 >>> (31 - ((to - 1) & 31));
    spend((last - first) / WORDS_IN_A_STEP);
    if (first === last) return countBits(this.words[first]! & head & tail);
    return (
      countBits(this.words[first]! & head) +
      countBits(this.words[last]! & tail) +
      countWords(this.words, first + 1, last)
    );
  }

  /** How many of the set's times have the remainder `residue` when divided by `every` seconds. */
  countResidue(every: number, residue: number): number {
    this.histograms ??= new Map();
    let histogram = this.histograms.get(every);
    spend(STEPS_TO_LOOK_UP);
    if (histogram === undefined) {
      spend(STEPS_A_HISTOGRAM);
      histogram = new Int32Array(every);
      for (let time = 0, rest = 0; time < SECONDS_PER_DAY; time++) {
        if (this.has(time)) histogram[rest]!++;
        if (++rest === every) rest = 0;
      }
      if (this.histograms.size >= MAX_HISTOGRAMS) this.histograms.clear();
      this.histograms.set(every, histogram);
    }
    return histogram[residue]!;
  }

  private set(word: number, bits: number): void {
    this.words[word]! |= bits;
  }

  private clear(word: number, bits: number): void {
    this.words[word]! &= ~bits;
  }
}

/** How many bits are set in some words; `to` is exclusive. */
function countWords(words: Int32Array, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) count += countBits(words[i]!);
  return count;
}

/** Visits the seconds of each matching minute, as bits of the words in which they lie. */
function eachWord(times: Times, visit: (word: number, bits: number) => void): void {
  const { secondsLow, secondsHigh } = times;
  for (let hour = bitFrom(times.hours, 0); hour >= 0; hour = bitFrom(times.hours, hour + 1)) {
    spend(STEPS_AN_HOUR);
    let minute = wideBitFrom(times.minutesLow, times.minutesHigh, 0);
    for (; minute >= 0; minute = wideBitFrom(times.minutesLow, times.minutesHigh, minute + 1)) {
      const at = hour * 3600 + minute * 60;
      const word = at >>> 5;
      const shift = at & 31;
      visit(word, secondsLow << shift);
      visit(word + 1, shift === 0 ? secondsHigh : (secondsLow >>> (32 - shift)) | (secondsHigh << shift));
      // If the minute begins late in a word, the high 28 bits reach a third word.
      if (shift > 4) visit(word + 2, secondsHigh >>> (32 - shift));
    }
  }
}
