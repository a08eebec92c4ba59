import { describe, expect, it } from 'vitest';
import { bitFrom, bitUpTo, countBits, wideBitFrom, wideBitUpTo, wideCountBelow } from '../../../core/occurrences/bits';
import { range } from '../minutes';

const NONE: number[] = [];
const ALL = range(0, 63);

/** Sets by their members, in 0..63. The members 31 and 32 are the last of the low word and the first of the high one. */
const SETS: [name: string, members: number[]][] = [
  ['the empty set', NONE],
  ['the whole set', ALL],
  ['the low word', ALL.filter((member) => member < 32)],
  ['the high word', ALL.filter((member) => member >= 32)],
  ['even members', ALL.filter((member) => member % 2 === 0)],
  ['odd members', ALL.filter((member) => member % 2 === 1)],
  ['pairs', ALL.filter((member) => member % 4 < 2)],
  ['fours', ALL.filter((member) => member % 8 < 4)],
  ['the first alone', [0]],
  ['the ends of both words', [0, 31, 32, 63]],
  ['the last of the low word', [31]],
  ['the first of the high word', [32]],
  ['the last alone', [63]],
  ['minutes of an hour', ALL.filter((member) => member < 60)],
  ['some of both words', [3, 17, 30, 35, 48, 59]],
  ['some of the low word', [5, 9, 22]],
  ['some of the high word', [40, 41, 60]],
];

const wordOf = (members: number[], first: number) =>
  members.filter((member) => member >= first && member < first + 32).reduce((word, m) => word | (1 << (m - first)), 0);

const atLeast = (members: number[], from: number) => members.find((member) => member >= from) ?? -1;
const atMost = (members: number[], upTo: number) => members.findLast((member) => member <= upTo) ?? -1;

describe.each(SETS)('of %s', (_, members) => {
  const [low, high] = [wordOf(members, 0), wordOf(members, 32)];
  const ofLow = members.filter((member) => member < 32);

  it('the members of a word are counted', () => {
    expect(countBits(low)).toBe(ofLow.length);
    expect(countBits(high)).toBe(members.length - ofLow.length);
  });

  it('the smallest member from each bound is found, and none from 32', () => {
    const bounds = range(0, 32);
    expect(bounds.map((from) => bitFrom(low, from))).toEqual(bounds.map((from) => atLeast(ofLow, from)));
  });

  it('the greatest member up to each bound is found, and none up to -1', () => {
    const bounds = range(-1, 31);
    expect(bounds.map((upTo) => bitUpTo(low, upTo))).toEqual(bounds.map((upTo) => atMost(ofLow, upTo)));
  });

  it('the smallest member of two words is found from each bound', () => {
    const bounds = range(0, 64);
    expect(bounds.map((from) => wideBitFrom(low, high, from))).toEqual(bounds.map((from) => atLeast(members, from)));
  });

  it('the greatest member of two words is found up to each bound', () => {
    const bounds = range(-1, 63);
    expect(bounds.map((upTo) => wideBitUpTo(low, high, upTo))).toEqual(bounds.map((upTo) => atMost(members, upTo)));
  });

  it('the members of two words below each bound are counted', () => {
    const bounds = range(0, 64);
    expect(bounds.map((bound) => wideCountBelow(low, high, bound))).toEqual(
      bounds.map((bound) => members.filter((member) => member < bound).length),
    );
  });
});
