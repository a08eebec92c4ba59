import { describe, expect, it } from 'vitest';
import { COUNTED_AT_MOST, counted, orMore } from '../../core/counted';

describe('a count with its noun', () => {
  it.each<[string, number, string, string | undefined, string]>([
    ['of one is singular', 1, 'firing', undefined, '1 firing'],
    ['of none is plural', 0, 'firing', undefined, '0 firings'],
    ['of two is plural', 2, 'firing', undefined, '2 firings'],
    ['has the plural that is given', 2, 'retry', 'retries', '2 retries'],
    ['of one has no use for the plural that is given', 1, 'retry', 'retries', '1 retry'],
    ['of none has the plural that is given', 0, 'retry', 'retries', '0 retries'],
    ['separates thousands', 1_234_567, 'firing', undefined, '1,234,567 firings'],
  ])('%s', (_, count, noun, nouns, expected) => {
    expect(counted(count, noun, nouns)).toBe(expected);
  });
});

describe('what was counted', () => {
  it.each<[string, number | string, boolean, string]>([
    ['is a plain number if the count is complete', 99_999, false, '99,999'],
    ['is that or more if the count was cut', COUNTED_AT_MOST, true, '100,000 or more'],
    ['may be an age that is complete', '5m', false, '5m'],
    ['may be an age of the oldest row that was counted', '5m', true, '5m or more'],
    ['may be nothing', 0, false, '0'],
  ])('%s', (_, what, isCut, expected) => {
    expect(orMore(what, isCut)).toBe(expected);
  });
});
