import { FIRST_SECOND, LAST_SECOND, SECONDS_PER_DAY } from '../civil';
import { type OffsetAt, readChanges } from './zone-changes';

/** The years of a zone are read in chunks of four. */
const CHUNK = 1461 * SECONDS_PER_DAY;
const LOWEST = FIRST_SECOND - 3 * SECONDS_PER_DAY;
const HIGHEST = LAST_SECOND + 3 * SECONDS_PER_DAY;
/**
 * The margin that is read around the range of answers. Without the margin, an answer near the edge could miss a clock
 * change just outside of the range.
 */
const MARGIN = 3 * SECONDS_PER_DAY;

/**
 * The changes of a zone's UTC offset, which are found by bisection with Intl and kept in typed arrays. All values are
 * in seconds. Years are read when they are first needed; for known years Intl is not called.
 */
export class Zone {
  /** Segment i has the UTC offset `offsets[i]` from `starts[i]` until `starts[i + 1]`. */
  starts: Float64Array = new Float64Array([Number.NEGATIVE_INFINITY]);
  offsets: Int32Array = new Int32Array([0]);
  /** The local second (exclusive) that the clock had reached before segment i; it never decreases. */
  reached: Float64Array = new Float64Array([Number.NEGATIVE_INFINITY]);
  /** The beginning of the range for which UTC offsets were read. */
  private knownFrom = Number.POSITIVE_INFINITY;
  private knownTo = Number.NEGATIVE_INFINITY;
  /** The beginning of the range that can be answered from the offsets that were read. */
  private from = Number.POSITIVE_INFINITY;
  private to = Number.NEGATIVE_INFINITY;
  /** The segment that the last search found: the next search mostly finds the same segment. */
  private hint = 0;

  constructor(
    readonly name: string,
    /** Returns the UTC offset at an instant; undefined for UTC itself. */
    private readonly offsetAt: OffsetAt | undefined,
  ) {
    if (offsetAt === undefined) {
      this.from = Number.NEGATIVE_INFINITY;
      this.to = Number.POSITIVE_INFINITY;
    }
  }

  /** Whether this zone is UTC, whose clock never changes. */
  get isFixed(): boolean {
    return this.offsetAt === undefined;
  }

  /** Make sure that all offsets within two days of `second` are known. This call may renumber the segments. */
  cover(second: number): void {
    if (second < this.from || second >= this.to) this.extend(second);
  }

  /** The index of the segment that contains an instant. */
  segment(second: number): number {
    this.cover(second);
    this.hint = this.lastAtMost(this.starts, second);
    return this.hint;
  }

  offset(second: number): number {
    const segment = this.segment(second);
    return this.offsets[segment]!;
  }

  /** The end of a segment (exclusive). */
  end(segment: number): number {
    return segment + 1 < this.starts.length ? this.starts[segment + 1]! : Number.POSITIVE_INFINITY;
  }

  /** The first instant at which the clock shows or has passed `local`. */
  firstReach(local: number): number {
    this.cover(local);
    const segment = this.lastAtMost(this.reached, local);
    return Math.max(this.starts[segment]!, local - this.offsets[segment]!);
  }

  /** The local second (exclusive) that the clock has reached at an instant; repeated time counts once. */
  reachedAt(second: number): number {
    const segment = this.segment(second);
    return Math.max(second + this.offsets[segment]! + 1, this.reached[segment]!);
  }

  /** If a segment begins with repeated local time, the end of that repetition. */
  repeatsUntil(segment: number): number {
    return Math.min(this.reached[segment]! - this.offsets[segment]!, this.end(segment));
  }

  /** The index of the last of some rising values that is at most `value`. */
  private lastAtMost(sorted: Float64Array, value: number): number {
    const { hint } = this;
    // After the last value, the comparison is with undefined, so its result is false.
    return value >= sorted[hint]! && !(value >= sorted[hint + 1]!) ? hint : bisect(sorted, value);
  }

  private extend(second: number): void {
    const chunk = LOWEST + Math.floor((clamp(second) - LOWEST) / CHUNK) * CHUNK;
    if (this.knownTo === Number.NEGATIVE_INFINITY) {
      this.knownFrom = chunk;
      this.knownTo = chunk;
      this.offsets = Int32Array.of(this.offsetAt!(chunk));
    }
    const from = Math.max(LOWEST, Math.min(chunk - MARGIN, this.knownFrom));
    const to = Math.min(HIGHEST, Math.max(chunk + CHUNK + MARGIN, this.knownTo));
    const earlier = readChanges(this.offsetAt!, from, this.knownFrom);
    const later = readChanges(this.offsetAt!, this.knownTo, to);
    const first = Int32Array.of(earlier.firstOffset);
    this.starts = concat(
      Float64Array,
      this.starts.subarray(0, 1),
      earlier.starts,
      this.starts.subarray(1),
      later.starts,
    );
    this.offsets = concat(Int32Array, first, earlier.offsets, this.offsets.subarray(1), later.offsets);
    this.knownFrom = from;
    this.knownTo = to;
    this.from = from === LOWEST ? Number.NEGATIVE_INFINITY : from + MARGIN;
    this.to = to === HIGHEST ? Number.POSITIVE_INFINITY : to - MARGIN;
    this.hint = 0;
    this.reached = new Float64Array(this.starts.length).fill(Number.NEGATIVE_INFINITY);
    for (let i = 1; i < this.starts.length; i++) {
      this.reached[i] = Math.max(this.reached[i - 1]!, this.starts[i]! + this.offsets[i - 1]!);
    }
  }
}

type Numbers = Float64Array | Int32Array;

function concat<T extends Numbers>(type: { from(values: Iterable<number>): T }, ...parts: Iterable<number>[]): T {
  return type.from(parts.flatMap((part) => [...part]));
}

function clamp(second: number): number {
  return Math.max(LOWEST, Math.min(HIGHEST - 1, second));
}

function bisect(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sorted[middle]! <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
