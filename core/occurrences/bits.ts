/** This file handles sets of small integers, stored as bits of 32-bit words. */

/** The number of members of a set. */
export function countBits(word: number): number {
  let n = word - ((word >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The smallest member of a set that is at least `from` (0..32); -1 when there is none. */
export function bitFrom(word: number, from: number): number {
  if (from > 31) return -1;
  const rest = word & (-1 << from);
  // An empty word has 32 leading zeros.
  return 31 - Math.clz32(rest & -rest);
}

/** The greatest member of a set that is at most `upTo` (-1..31); -1 when there is none. */
export function bitUpTo(word: number, upTo: number): number {
  if (upTo < 0) return -1;
  return 31 - Math.clz32(word & (-1 >>> (31 - upTo)));
}

/** The smallest member that is at least `from`, for a set of 0..63 in two words. */
export function wideBitFrom(low: number, high: number, from: number): number {
  if (from < 32) {
    const found = bitFrom(low, from);
    if (found >= 0) return found;
    from = 32;
  }
  const found = bitFrom(high, from - 32);
  return found < 0 ? -1 : found + 32;
}

/** The greatest member that is at most `upTo`, for a set of 0..63 in two words. */
export function wideBitUpTo(low: number, high: number, upTo: number): number {
  if (upTo >= 32) {
    const found = bitUpTo(high, upTo - 32);
    if (found >= 0) return found + 32;
    upTo = 31;
  }
  return bitUpTo(low, upTo);
}

/** The number of members that are less than `bound`, for a set of 0..63 in two words. */
export function wideCountBelow(low: number, high: number, bound: number): number {
  if (bound >= 64) return countBits(low) + countBits(high);
  if (bound >= 32) return countBits(low) + countBits(high & ~(-1 << (bound - 32)));
  return countBits(low & ~(-1 << bound));
}
