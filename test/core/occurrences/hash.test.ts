import { expect, it } from 'vitest';
import { hash32 } from '../../../core/occurrences/hash';

// Computed by the description of the hash, in another language.
it.each([
  ['', 0xab3e7c0b],
  ['a', 0x1a80b1b3],
  ['nightly\nhour', 0x1b1e9cba],
  ['nightly\nminute', 0x5608aa0a],
  ['größe', 0xcda1b73c],
  ['🕰', 0xaeffe6b9],
  ['x'.repeat(1_000), 0x6dbcf252],
])('the hash of %j never changes, since it would move every schedule with H or jitter', (text, hash) => {
  expect(hash32(text)).toBe(hash);
});
