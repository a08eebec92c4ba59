import { bitFrom, countBits } from './bits';
import { type Calendar, dayMatches, localFrom, monthDays } from './calendar/calendar';
import { BitSet, type DaySet, productSet } from './calendar/day-set';
import { firstOfMonth, monthIndex, SECONDS_PER_DAY } from './civil';
import { showsAt } from './dst';
import { intervalHas } from './interval';
import { MarkedUnion } from './marks';
import { type IntervalUnion, overlapsOf, SummedUnion } from './overlaps';
import type { Parts } from './parts';
import { indexFrom } from './sorted';
import { spend } from './steps';
import { recursAt, skipped } from './union';

const MAX_SETS = 64;
const STEPS_A_SEGMENT = 20;
const STEPS_A_MONTH = 20;
const STEPS_A_CLOCK = 5;

/**
 * The times of a day that are counted for calendars, and the times at which intervals are not counted, since a calendar
 * or `skip` has them.
 */
interface Sets {
  readonly counted: DaySet;
  readonly covered: BitSet | undefined;
}

/**
 * Counts occurrences without enumerating them, except single instants: days × times of day, in ranges with a constant
 * UTC offset. Unless a calendar is the only part, days are grouped by the calendars that match them, and the times of
 * each group are united.
 *
 *     |(C ∪ I) \ S| = |C \ S| + |I| - |I ∩ (C ∪ S)|      C calendars, I intervals, S skip
 */
export class Counter {
  private readonly hasOnce: boolean;
  private readonly clocks: readonly Calendar[];
  private readonly union: IntervalUnion;
  private readonly sets = new Map<number | string, Sets>();

  constructor(private readonly parts: Parts) {
    const overlaps = overlapsOf(parts.intervals);
    this.union = overlaps ? new SummedUnion(overlaps) : new MarkedUnion(parts.intervals);
    this.hasOnce = parts.calendars.some((calendar) => calendar.once);
    this.clocks = [...parts.calendars, ...parts.skip];
  }

  /**
   * How many occurrences lie in `from … upTo`, both inclusive. The caller cuts the range to the spec's start and end.
   */
  count(from: number, upTo: number): number {
    if (upTo < from) return 0;
    const total = this.countInstants(from, upTo) + this.union.count(from, upTo);
    return this.clocks.length === 0 ? total : total + this.countClocks(from, upTo);
  }

  private countInstants(from: number, upTo: number): number {
    const { instants } = this.parts;
    let count = 0;
    for (let i = indexFrom(instants, from); i < instants.length && instants[i]! <= upTo; i++) {
      if (!recursAt(this.parts, instants[i]!) && !skipped(this.parts, instants[i]!)) count++;
    }
    return count;
  }

  private countClocks(from: number, upTo: number): number {
    const { zone } = this.parts;
    zone.cover(upTo);
    let total = 0;
    for (let i = zone.segment(from); i < zone.starts.length && zone.starts[i]! <= upTo; i++) {
      spend(STEPS_A_SEGMENT);
      const start = Math.max(from, zone.starts[i]!);
      const end = Math.min(upTo + 1, zone.end(i));
      const offset = zone.offsets[i]!;
      const fresh = this.hasOnce ? Math.min(end, Math.max(start, zone.repeatsUntil(i))) : start;
      total += this.countLocal(start + offset, fresh + offset, offset, true);
      total += this.countLocal(fresh + offset, end + offset, offset, false);
      if (this.hasOnce && zone.starts[i]! >= from) total += this.countGap(i);
    }
    return total;
  }

  /**
   * 1 if the first instant of a segment is an occurrence only because a fixed time lies in the local time that is
   * missing before it; else 0.
   */
  private countGap(segment: number): number {
    const { zone, calendars, intervals } = this.parts;
    const instant = zone.starts[segment]!;
    const gapStart = zone.reached[segment]!;
    const gapEnd = instant + zone.offsets[segment]!;
    if (gapStart >= gapEnd || !calendars.some((c) => c.once && localFrom(c, gapStart) < gapEnd)) return 0;
    const counted =
      skipped(this.parts, instant) ||
      calendars.some((calendar) => showsAt(calendar, zone, instant)) ||
      intervals.some((interval) => intervalHas(interval, instant));
    return counted ? 0 : 1;
  }

  /** |C \ S| - |I ∩ (C ∪ S)|, as in {@link Counter}, in local time with one UTC offset. */
  private countLocal(from: number, to: number, offset: number, repeated: boolean): number {
    if (from >= to) return 0;
    const firstDay = Math.floor(from / SECONDS_PER_DAY);
    const lastDay = Math.floor(to / SECONDS_PER_DAY);
    const fromTime = from - firstDay * SECONDS_PER_DAY;
    const toTime = to - lastDay * SECONDS_PER_DAY;
    if (firstDay === lastDay) return this.countPart(firstDay, fromTime, toTime, offset, repeated);
    let total = 0;
    if (fromTime > 0) total += this.countPart(firstDay, fromTime, SECONDS_PER_DAY, offset, repeated);
    if (toTime > 0) total += this.countPart(lastDay, 0, toTime, offset, repeated);
    return total + this.countDays(fromTime > 0 ? firstDay + 1 : firstDay, lastDay, offset, repeated);
  }

  private countPart(day: number, from: number, to: number, offset: number, repeated: boolean): number {
    spend(this.clocks.length * STEPS_A_CLOCK);
    const sets = this.setsOf(
      this.clocks.map((clock) => (dayMatches(clock, day) ? 1 : 0)),
      0,
      repeated,
    );
    if (sets === undefined) return 0;
    const count = sets.counted.count === 0 ? 0 : sets.counted.countBetween(from, to);
    if (sets.covered === undefined) return count;
    return count - this.union.countBetween(sets.covered, day * SECONDS_PER_DAY - offset, from, to);
  }

  /** Counts whole days; `to` is exclusive. */
  private countDays(from: number, to: number, offset: number, repeated: boolean): number {
    const alone = this.clocks.length === 1 && this.union.isEmpty && this.parts.skip.length === 0;
    let total = 0;
    for (let month = monthIndex(from), first = firstOfMonth(month); first < to; month++) {
      spend(STEPS_A_MONTH + this.clocks.length * STEPS_A_CLOCK);
      const next = firstOfMonth(month + 1);
      const lowest = Math.max(from, first) - first;
      const highest = Math.min(to, next) - first - 1;
      const within = (-1 << lowest) & (-1 >>> (31 - highest));
      const days = this.clocks.map((clock) => monthDays(clock, month, first) & within);
      if (alone) {
        if (!(repeated && this.clocks[0]!.once)) total += countBits(days[0]!) * productSet(this.clocks[0]!).count;
      } else {
        total += this.countGroups(days, within, first * SECONDS_PER_DAY - offset, repeated);
      }
      first = next;
    }
    return total;
  }

  /** Days that match the same calendars and skips have the same times, so they are counted together. */
  private countGroups(days: readonly number[], within: number, start: number, repeated: boolean): number {
    let total = 0;
    for (let rest = within; rest !== 0; ) {
      const bit = bitFrom(rest, 0);
      let group = rest;
      for (const day of days) group &= (day & (1 << bit)) === 0 ? ~day : day;
      rest &= ~group;
      const sets = this.setsOf(days, bit, repeated);
      if (sets === undefined) continue;
      total += countBits(group) * sets.counted.count;
      if (sets.covered !== undefined) total -= this.union.countOn(sets.covered, group, start);
    }
    return total;
  }

  /** The times of a day that matches the calendars and skips whose bits are in `days`; undefined if it matches none. */
  private setsOf(days: readonly number[], bit: number, repeated: boolean): Sets | undefined {
    const { clocks } = this;
    spend(1 + clocks.length);
    let key = 0;
    let word = '';
    for (let i = 0; i < clocks.length; i++) {
      if ((days[i]! & (1 << bit)) === 0 || (repeated && clocks[i]!.once)) continue;
      if (i < 50) key += 2 ** i;
      else word += `${i},`;
    }
    if (key === 0 && word === '') return undefined;
    const name = word === '' ? key : `${key} ${word}`;
    const known = this.sets.get(name);
    if (known !== undefined) return known;
    spend(clocks.length * STEPS_A_CLOCK);
    const on = clocks.map((clock, i) => (days[i]! & (1 << bit)) !== 0 && !(repeated && clock.once));
    const plus = this.parts.calendars.filter((_, i) => on[i]);
    const minus = this.parts.skip.filter((_, i) => on[this.parts.calendars.length + i]);
    const sets = {
      counted: plus.length === 1 && minus.length === 0 ? productSet(plus[0]!) : new BitSet(plus, minus),
      covered: this.union.isEmpty ? undefined : new BitSet([...plus, ...minus], []),
    };
    if (this.sets.size >= MAX_SETS) this.sets.clear();
    this.sets.set(name, sets);
    return sets;
  }
}
