import { describe, expect, it } from 'vitest';
import { calendarOf, range } from '../../../../core/occurrences/calendar/calendar-of';
import { BitSet, type DaySet, productSet } from '../../../../core/occurrences/calendar/day-set';
import type { Times } from '../../../../core/occurrences/calendar/time-of-day';
import { stepsOf } from '../../../../core/occurrences/steps';

const DAY = 86_400;

function timesOf(hour: readonly number[], minute: readonly number[], second: readonly number[]): Times {
  return calendarOf({ hour, minute, second, dayOfMonth: [], month: [], dayOfWeek: [] });
}

/** The times of each calendar by a naive walk: 1 at each second of the day that is one. */
const NAIVE = new Map<Times, Uint8Array>();
function timesWith(hour: readonly number[], minute: readonly number[], second: readonly number[]): Times {
  const times = timesOf(hour, minute, second);
  const all = new Uint8Array(DAY);
  for (const h of hour) for (const m of minute) for (const s of second) all[h * 3600 + m * 60 + s] = 1;
  NAIVE.set(times, all);
  return times;
}

const EVERY_SECOND = timesWith(range(0, 23), range(0, 59), range(0, 59));
const EVERY_MINUTE = timesWith(range(0, 23), range(0, 59), [0]);
const LAST_SECONDS = timesWith(range(0, 23), range(0, 59), [31, 32, 59]);
const OFFICE = timesWith([9, 17], [0, 8, 30], [0, 15, 45]);
const ENDS = timesWith([0, 23], [0, 59], [0, 59]);
const NEVER = timesWith([], range(0, 59), [0]);

const sets: [what: string, union: Times[], minus: Times[]][] = [
  ['nothing', [], []],
  ['times that are none', [NEVER], []],
  ['each second', [EVERY_SECOND], []],
  ['each minute', [EVERY_MINUTE], []],
  ['the last seconds of each minute', [LAST_SECONDS], []],
  ['the ends of the day', [ENDS], []],
  ['the office', [OFFICE], []],
  ['times of several calendars, some of them the same', [EVERY_MINUTE, OFFICE, ENDS], []],
  ['each second without each minute', [EVERY_SECOND], [EVERY_MINUTE]],
  ['each second without the last ones', [EVERY_SECOND], [LAST_SECONDS, ENDS]],
  ['the office without each minute', [OFFICE], [EVERY_MINUTE]],
  ['what is skipped alone', [], [EVERY_SECOND]],
  ['what is all skipped', [OFFICE, ENDS], [EVERY_SECOND]],
];

function naive(union: readonly Times[], minus: readonly Times[]): Uint8Array {
  const all = new Uint8Array(DAY);
  for (const times of union) for (let time = 0; time < DAY; time++) all[time]! |= NAIVE.get(times)![time]!;
  for (const times of minus) for (let time = 0; time < DAY; time++) all[time]! &= 1 - NAIVE.get(times)![time]!;
  return all;
}

/** How many times lie before each second of the day, and before its end. */
function countsBefore(times: Uint8Array): number[] {
  const before = [0];
  for (let time = 0; time < DAY; time++) before.push(before[time]! + times[time]!);
  return before;
}

/** Stretches of a day at the edges of words of 32 seconds, in one word, over two of them and over many. */
const STRETCHES = [0, 1, 31, 32, 33, 63, 64, 100, 32_399, 32_400, 32_416, 61_215, DAY - 33, DAY - 32, DAY - 1, DAY];

function wrongCounts(set: DaySet, before: readonly number[]): string[] {
  return STRETCHES.flatMap((from) =>
    STRETCHES.filter((to) => to > from && set.countBetween(from, to) !== before[to]! - before[from]!).map(
      (to) => `${from} to ${to}`,
    ),
  );
}

describe('the times of some calendars without those of others', () => {
  it.each(sets)('are those that a naive walk finds: %s', (_, union, minus) => {
    const set = new BitSet(union, minus);
    const times = naive(union, minus);
    const before = countsBefore(times);
    const wrong: number[] = [];
    for (let time = 0; time < DAY; time++) if (set.has(time) !== (times[time] === 1)) wrong.push(time);
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(set.count).toBe(before[DAY]);
    expect(wrongCounts(set, before)).toEqual([]);
  });

  it.each([0, 31, 32, 40, 64, 32_400, DAY])('are none in an empty or turned stretch: up to %i', (to) => {
    const set = new BitSet([EVERY_SECOND], []);
    for (const from of [to, to + 1, to + 32, to + 100]) expect(set.countBetween(from, to)).toBe(0);
  });

  it.each([1, 2, 7, 32, 60, 900, 1000, 3599])('are counted by what is left when divided by %i', (every) => {
    const set = new BitSet([EVERY_MINUTE, OFFICE], [ENDS]);
    const times = naive([EVERY_MINUTE, OFFICE], [ENDS]);
    const expected = Array.from({ length: every }, () => 0);
    for (let time = 0; time < DAY; time++) expected[time % every]! += times[time]!;
    expect(range(0, every - 1).map((residue) => set.countResidue(every, residue))).toEqual(expected);
  });

  it('are those of the product, if they are of one calendar alone', () => {
    for (const [times, all] of NAIVE) {
      const set = productSet(times);
      const before = countsBefore(all);
      expect(set.count).toBe(before[DAY]);
      expect(wrongCounts(set, before)).toEqual([]);
    }
  });
});

describe('the cost of a set in steps', () => {
  it('grows with the hours that its calendars have', () => {
    const base = stepsOf(() => new BitSet([], []));
    expect(base).toBe(1_000);
    expect(stepsOf(() => new BitSet([OFFICE], []))).toBe(base + 200);
    expect(stepsOf(() => new BitSet([OFFICE], [EVERY_SECOND]))).toBe(base + 200 + 2_400);
  });

  it.each([
    ['within a word', 0, 32, 0],
    ['over eight words more', 64, 64 + 9 * 32, 2],
    ['of a whole day', 0, DAY, (2_700 - 1) / 4],
  ])('grows with the stretch that is counted, a step for four words: %s', (_, from, to, steps) => {
    const set = new BitSet([OFFICE], []);
    expect(stepsOf(() => set.countBetween(from, to))).toBe(steps);
  });

  it('is high for the first remainder of an interval, and low for the others', () => {
    const set = new BitSet([OFFICE], []);
    expect(stepsOf(() => set.countResidue(60, 0))).toBe(30_005);
    expect(stepsOf(() => set.countResidue(60, 59))).toBe(5);
    expect(stepsOf(() => set.countResidue(61, 0))).toBe(30_005);
    expect(stepsOf(() => set.countResidue(60, 1))).toBe(5);
  });

  it('stays low for up to sixteen intervals, and then they are forgotten', () => {
    const set = new BitSet([OFFICE], []);
    const intervals = range(101, 116);
    for (const every of intervals) set.countResidue(every, 0);
    for (const every of intervals) expect(stepsOf(() => set.countResidue(every, 0))).toBe(5);
    set.countResidue(117, 0);
    expect(stepsOf(() => set.countResidue(117, 1))).toBe(5);
    for (const every of intervals) expect(stepsOf(() => set.countResidue(every, 0))).toBeGreaterThan(30_000);
  });
});
