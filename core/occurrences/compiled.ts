import { calendarOf, range } from './calendar/calendar-of';
import { SECONDS_PER_DAY } from './civil';
import { Counter } from './count';
import { jitterOf } from './jitter';
import type { Parts } from './parts';
import type { Difference } from './server/server-walk';
import { withinSteps } from './steps';
import { nextOfUnion, previousOfUnion, skipped } from './union';
import { Zone } from './zones/zone';

/** A compiled spec. Instants are epoch milliseconds. */
export interface CompiledSpec {
  /** The first occurrence later than `after`; undefined when there is none. */
  next(after: number): number | undefined;
  /** The last occurrence earlier than `before`; undefined when there is none. */
  previous(before: number): number | undefined;
  /** How many occurrences lie in `(after, through]`. */
  count(after: number, through: number): number;
  /** When the firing of a nominal time should start: the nominal time plus its jitter. */
  startTime(nominal: number): number;
}

const UTC = new Zone('UTC', undefined);
const EVERY_SECOND = calendarOf({
  second: range(0, 59),
  minute: range(0, 59),
  hour: range(0, 23),
  dayOfMonth: range(1, 31),
  month: range(1, 12),
  dayOfWeek: range(0, 6),
});

/**
 * After this many skipped instants in a row, the search bisects by counting instead of going from instant to instant.
 */
const PATIENCE = 50;
const FIRST_REACH = 3600;

/** Combines the parts of a spec, and applies its start and end and `skip`. */
export class CompiledParts implements CompiledSpec {
  private counter: Counter | undefined;
  /** Counts the seconds that `skip` does not cover. */
  private unskipped: Counter | undefined;
  /** Counts the seconds that `skip` does not cover, in UTC instead of the spec's zone. */
  private local: Counter | undefined;
  /** Counts of occurrences near clock changes, where the server deviates from LITERAL, by the start of the range. */
  private counts: Map<number, number> | undefined;
  /** The path that the error for a slow evaluation names: the part of the spec that is probably the cause. */
  private readonly path: string;

  constructor(
    private readonly parts: Parts,
    private readonly jitter: number,
    private readonly scheduleId: string,
  ) {
    this.path = parts.skip.length > 0 ? 'spec.skip' : parts.intervals.length > 1 ? 'spec.intervals' : 'spec';
  }

  next(after: number): number | undefined {
    return withinSteps(this.path, () => this.search(after));
  }

  previous(before: number): number | undefined {
    return withinSteps(this.path, () => this.searchBack(before));
  }

  count(after: number, through: number): number {
    const from = Math.max(Math.floor(after / 1000) + 1, this.parts.first);
    const upTo = Math.min(Math.floor(through / 1000), this.parts.last);
    return withinSteps(this.path, () => this.countSeconds(from, upTo));
  }

  startTime(nominal: number): number {
    if (this.jitter <= 0) return nominal;
    const second = Math.floor(nominal / 1000);
    const following = withinSteps(this.path, () => nextOfUnion(this.parts, second + 1));
    return nominal + jitterOf(second, following, this.jitter, this.scheduleId);
  }

  private search(after: number): number | undefined {
    const { parts } = this;
    const from = Math.max(Math.floor(after / 1000) + 1, parts.first);
    let found = nextOfUnion(parts, from);
    for (let tries = 0; found <= parts.last && skipped(parts, found); tries++) {
      if (tries === PATIENCE) return this.bisectNext(found + 1);
      found = nextOfUnion(parts, found + 1);
    }
    return found <= parts.last ? found * 1000 : undefined;
  }

  private searchBack(before: number): number | undefined {
    const { parts } = this;
    const upTo = Math.min(Math.ceil(before / 1000) - 1, parts.last);
    let found = previousOfUnion(parts, upTo);
    for (let tries = 0; found >= parts.first && skipped(parts, found); tries++) {
      if (tries === PATIENCE) return this.bisectPrevious(found - 1);
      found = previousOfUnion(parts, found - 1);
    }
    return found >= parts.first ? found * 1000 : undefined;
  }

  /** `upTo` is inclusive. */
  private has(from: number, upTo: number): boolean {
    const windows = [...(this.parts.server?.windows(from, upTo) ?? [])];
    let cursor = from;
    for (const window of windows) {
      if (this.countRegular(cursor, Math.min(window.from - 1, upTo)) > 0) return true;
      cursor = Math.max(cursor, window.to);
    }
    if (this.countRegular(cursor, upTo) > 0) return true;
    return windows.some((window) => this.countSeconds(Math.max(from, window.from), Math.min(window.to - 1, upTo)) > 0);
  }

  /**
   * Counts occurrences one by one where the server deviates from LITERAL, and by arithmetic elsewhere, if that is
   * possible.
   */
  private countSeconds(from: number, upTo: number): number {
    let total = 0;
    let cursor = from;
    for (const difference of this.differences(from, upTo)) {
      total += this.countRegular(cursor, difference.from - 1);
      total += this.countDifference(Math.max(from, difference.from), Math.min(difference.to - 1, upTo), difference);
      cursor = difference.to;
    }
    return total + this.countRegular(cursor, upTo);
  }

  private *differences(from: number, upTo: number): Iterable<Difference> {
    const { server } = this.parts;
    for (const window of server?.windows(from, upTo) ?? []) {
      if (this.allSkipped(Math.max(from, window.from), Math.min(window.to - 1, upTo))) continue;
      for (const difference of server!.differences(window)) {
        if (difference.to > from && difference.from <= upTo) yield difference;
      }
    }
  }

  /**
   * Whether `skip` covers every local time between two instants, in any zone. The check reads no table of a zone. It
   * looks at the first week of the range, then ever further: usually that week has a time left, and decades may cost
   * half the budget.
   */
  private nothingLeft(from: number, upTo: number): boolean {
    this.local ??= new Counter({ ...this.parts, zone: UTC, calendars: [EVERY_SECOND], intervals: [], instants: [] });
    const last = upTo + SECONDS_PER_DAY;
    let reach = 7 * SECONDS_PER_DAY;
    for (let at = from - SECONDS_PER_DAY; at <= last; at += reach, reach *= 2) {
      if (this.local.count(at, Math.min(at + reach - 1, last)) > 0) return false;
    }
    return true;
  }

  private allSkipped(from: number, upTo: number): boolean {
    if (this.parts.skip.length === 0) return false;
    this.unskipped ??= new Counter({ ...this.parts, calendars: [EVERY_SECOND], intervals: [], instants: [] });
    return this.unskipped.count(from, upTo) === 0;
  }

  private countDifference(from: number, upTo: number, difference: Difference): number {
    if (from !== difference.from || upTo !== difference.to - 1) return this.countByWalking(from, upTo);
    let count = this.counts?.get(from);
    if (count === undefined) {
      count = this.countByWalking(from, upTo);
      this.counts ??= new Map();
      this.counts.set(from, count);
    }
    return count;
  }

  private countRegular(from: number, upTo: number): number {
    if (upTo < from) return 0;
    this.counter ??= new Counter(this.parts);
    return this.counter.count(from, upTo);
  }

  private countByWalking(from: number, upTo: number): number {
    let count = 0;
    for (let at = nextOfUnion(this.parts, from); at <= upTo; at = nextOfUnion(this.parts, at + 1)) {
      if (!skipped(this.parts, at)) count++;
    }
    return count;
  }

  private bisectNext(from: number): number | undefined {
    const { last } = this.parts;
    let low = from;
    let high = Math.min(from + FIRST_REACH, last);
    while (low <= last && !this.has(low, high)) {
      low = high + 1;
      high = Math.min(from + (high - from) * 32, last);
      if (this.nothingLeft(low, last)) return undefined;
    }
    if (low > last) return undefined;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.has(low, middle)) high = middle;
      else low = middle + 1;
    }
    return low * 1000;
  }

  private bisectPrevious(upTo: number): number | undefined {
    const { first } = this.parts;
    let high = upTo;
    let low = Math.max(upTo - FIRST_REACH, first);
    while (high >= first && !this.has(low, high)) {
      high = low - 1;
      low = Math.max(upTo - (upTo - low) * 32, first);
      if (this.nothingLeft(first, high)) return undefined;
    }
    if (high < first) return undefined;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.has(middle, high)) low = middle;
      else high = middle - 1;
    }
    return low * 1000;
  }
}
