import { SECONDS_PER_DAY } from '../civil';

/** The UTC offset in seconds at an instant. */
export type OffsetAt = (second: number) => number;

/**
 * Two clock changes that cancel each other out may be missed if they are closer together than this. In Recife, two such
 * changes were about a week apart in 2000.
 */
const SAMPLE = 5 * SECONDS_PER_DAY;

export interface Changes {
  firstOffset: number;
  /** At `starts[i]` the UTC offset changes to `offsets[i]`. */
  starts: number[];
  offsets: number[];
}

/** The changes of an offset after `from` up to and including `to`, found by sampling and bisecting. */
export function readChanges(offsetAt: OffsetAt, from: number, to: number): Changes {
  const firstOffset = offsetAt(from);
  const starts: number[] = [];
  const offsets: number[] = [];
  let at = from;
  let offset = firstOffset;
  while (at < to) {
    const next = Math.min(at + SAMPLE, to);
    if (offsetAt(next) === offset) {
      at = next;
      continue;
    }
    at = changeBetween(offsetAt, at, next, offset);
    // The clock may change a second time before the sample, so the search continues from here.
    offset = offsetAt(at);
    starts.push(at);
    offsets.push(offset);
  }
  return { firstOffset, starts, offsets };
}

/**
 * The first second in `(low, high]` whose offset is not `offset`. Whole hours are tried first, since clocks usually
 * change at whole hours.
 */
function changeBetween(offsetAt: OffsetAt, low: number, high: number, offset: number): number {
  while (high - low > 1) {
    let middle = Math.floor((low + high) / 2);
    if (high - low > 7200) middle -= middle % 3600;
    else if (offsetAt(high - 1) === offset) return high;
    if (offsetAt(middle) === offset) low = middle;
    else high = middle;
  }
  return high;
}
