import { describe, expect, it } from 'vitest';
import { closest, didYouMean } from '../../../core/closest';

describe('the closest candidate', () => {
  it.each<[string, string, string[], string | undefined]>([
    ['is the word itself', 'note', ['node', 'note'], 'note'],
    ['is one with a letter too few', 'tennant', ['tenant'], 'tenant'],
    ['is one with a letter too many', 'ownr', ['owner'], 'owner'],
    ['is one with another letter', 'nota', ['note'], 'note'],
    ['is found in any letter case, and named in its own', 'DRYRUN', ['dryRun'], 'dryRun'],
    ['in another letter case is nearer than one that lacks a letter', 'NAMES', ['name', 'names'], 'names'],
    ['may have two letters swapped', 'ntoe', ['note'], 'note'],
    ['may have all its letters in another order', 'reowner', ['ownerre'], 'ownerre'],
    ['with the letters in another order is as near as one mistake', 'ntoe', ['ntoa', 'note'], 'ntoa'],
    ['with the letters in another order is nearer than two mistakes', 'wekdays', ['wekxaxs', 'wekdysa'], 'wekdysa'],
    ['has at most one mistake in a word of five letters', 'axxle', ['apple'], undefined],
    ['may have two mistakes in a word of six letters', 'axxles', ['apples'], 'apples'],
    ['has at most two mistakes in a word of eight letters', 'axxxeses', ['appleses'], undefined],
    ['may have three mistakes in a word of nine letters', 'axxxesess', ['applesess'], 'applesess'],
    ['has at most three mistakes in a word of nine letters', 'axxxxsess', ['applesess'], undefined],
    ['may have one mistake in a word of one letter', 'x', ['y'], 'y'],
    ['has at most one mistake in a word of two letters', 'xx', ['yy'], undefined],
    ['is the one with the fewest mistakes, wherever it stands', 'overlap', ['ovrlp', 'overlaps', 'verla'], 'overlaps'],
    ['is the first of those that are equally near', 'nota', ['note', 'noto'], 'note'],
    ['is none without candidates', 'note', [], undefined],
    ['is none of words that differ in every letter', 'note', ['spec', 'args'], undefined],
  ])('%s', (_, word, candidates, expected) => {
    expect(closest(word, candidates)).toBe(expected);
  });

  it('is found in anything that can be iterated', () => {
    expect(closest('tennant', new Set(['spec', 'tenant']))).toBe('tenant');
  });
});

describe('a hint', () => {
  it('continues a sentence with the closest candidate', () => {
    expect(didYouMean('tennant', ['spec', 'tenant'])).toBe('; did you mean tenant?');
  });

  it('is empty if no candidate is near', () => {
    expect(didYouMean('tennant', ['spec', 'args'])).toBe('');
    expect(didYouMean('tennant', [])).toBe('');
  });
});
