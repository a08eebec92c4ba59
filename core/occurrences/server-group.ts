import type { Calendar } from './calendar';
import { CalendarGroup } from './calendar-group';
import { SECONDS_PER_DAY } from './civil';
import { nextOf } from './dst';
import { type Interval, nextOfInterval } from './interval';
import { serverNext } from './server-clock';
import { indexFrom } from './sorted';
import { spend } from './steps';
import type { Zone } from './zone';

const HOURS = 3600;
const MAX_KEPT = 4;
const STEPS_A_WINDOW = 10;

/** The neighbourhood of a change of the clock, where the server may differ from LITERAL; `to` is exclusive. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/**
 * The calendars in Temporal's dialect of one spec. Near a change of the clock they are walked together as the server
 * walks them, from one nominal time to the next, because there its answer hangs on where it stands; what it finds is
 * kept as a list. Everywhere else they are LITERAL.
 */
export class ServerGroup {
  /** Windows, by their beginning, in which the server is LITERAL. */
  private readonly literal = new Set<number>();
  private readonly kept = new Map<number, readonly number[]>();
  private readonly literally: CalendarGroup;

  constructor(
    private readonly zone: Zone,
    private readonly calendars: readonly Calendar[],
    /** They are where the server stands, too. */
    private readonly intervals: readonly Interval[],
    private readonly first: number,
  ) {
    this.literally = new CalendarGroup(calendars, zone);
  }

  /** The first occurrence that is not before `from`; infinity when there is none. */
  next(from: number): number {
    const { zone } = this;
    for (;;) {
      spend(STEPS_A_WINDOW);
      const at = this.windowAt(from);
      const times = at === undefined ? undefined : this.times(at);
      if (times !== undefined) {
        const found = times[indexFrom(times, from)];
        if (found !== undefined) return found;
        from = at!.to;
        continue;
      }
      const found = this.literally.next(from);
      if (Number.isFinite(found)) zone.cover(found);
      const ahead = at === undefined ? this.windowAfter(zone.segment(from)) : undefined;
      const end = at === undefined ? ahead?.from : at.to;
      if (end === undefined || found < end || !Number.isFinite(found)) return found;
      from = end;
    }
  }

  /** The last occurrence that is not after `upTo`; minus infinity when there is none. */
  previous(upTo: number): number {
    const { zone } = this;
    for (;;) {
      spend(STEPS_A_WINDOW);
      const at = this.windowAt(upTo);
      const times = at === undefined ? undefined : this.times(at);
      if (times !== undefined) {
        const found = times[indexFrom(times, upTo + 1) - 1];
        if (found !== undefined) return found;
        upTo = at!.from - 1;
        continue;
      }
      const found = this.literally.previous(upTo);
      if (Number.isFinite(found)) zone.cover(found);
      const behind = at === undefined ? this.window(zone.segment(upTo)) : undefined;
      const start = at === undefined ? behind?.to : at.from;
      if (start === undefined || found >= start || !Number.isFinite(found)) return found;
      upTo = start - 1;
    }
  }

  /** The windows that touch `from … upTo`, in order. */
  *windows(from: number, upTo: number): Iterable<Window> {
    this.zone.cover(upTo);
    let cursor = from;
    const around = this.windowAt(from);
    if (around !== undefined) {
      yield around;
      cursor = around.to;
    }
    for (;;) {
      spend(STEPS_A_WINDOW);
      const ahead = this.windowAfter(this.zone.segment(cursor));
      if (ahead === undefined || ahead.from > upTo) return;
      if (ahead.from >= cursor) yield ahead;
      cursor = ahead.to;
    }
  }

  /** Whether the server has its own answer in a window. */
  differs(window: Window): boolean {
    return this.times(window) !== undefined;
  }

  private windowAt(second: number): Window | undefined {
    const segment = this.zone.segment(second);
    const behind = this.window(segment);
    if (behind !== undefined && second < behind.to) return behind;
    const ahead = this.windowAfter(segment);
    return ahead !== undefined && second >= ahead.from ? ahead : undefined;
  }

  private windowAfter(segment: number): Window | undefined {
    return segment + 1 < this.zone.starts.length ? this.window(segment + 1) : undefined;
  }

  /** Around the beginning of a segment. */
  private window(segment: number): Window | undefined {
    if (segment === 0) return undefined;
    const { starts, offsets } = this.zone;
    const start = starts[segment]!;
    const before = offsets[segment - 1]!;
    const after = offsets[segment]!;
    const change = Math.abs(after - before);
    // Where missing time touches midnight, the server looks up the weekday of another day, until the day ends.
    const dayBefore = Math.floor((start + before - change) / SECONDS_PER_DAY);
    const dayAfter = Math.floor((start + after + change) / SECONDS_PER_DAY);
    const reach = change + (after > before && dayBefore !== dayAfter ? 26 : 3) * HOURS;
    const next = segment + 1 < starts.length ? starts[segment + 1]! - 6 * HOURS : Number.POSITIVE_INFINITY;
    return { from: start - change - 3 * HOURS, to: Math.max(start, Math.min(start + reach, next)) };
  }

  /** What the calendars give in a window; undefined when that is LITERAL's own answer. */
  private times(window: Window): readonly number[] | undefined {
    if (this.literal.has(window.from)) return undefined;
    const known = this.kept.get(window.from);
    if (known !== undefined) return known;
    const times = this.walk(window);
    if (this.isLiteral(times, window)) {
      this.literal.add(window.from);
      return undefined;
    }
    if (this.kept.size >= MAX_KEPT) this.kept.clear();
    this.kept.set(window.from, times);
    return times;
  }

  private walk(window: Window): number[] {
    const { zone, calendars, intervals } = this;
    const times: number[] = [];
    // Within one minute the server's answer is the same until it is reached, wherever one stands.
    const answers = calendars.map(() => ({ minute: Number.NaN, found: Number.NaN }));
    const minuteOf = (second: number) => Math.floor((second + zone.offset(second)) / 60);
    let at = Math.max(window.from, this.first) - 1;
    for (;;) {
      spend(1 + intervals.length);
      let next = Number.POSITIVE_INFINITY;
      const minute = minuteOf(at);
      for (let i = 0; i < calendars.length; i++) {
        const answer = answers[i]!;
        if (answer.minute !== minute || answer.found <= at) {
          let found = serverNext(calendars[i]!, zone, at, window.to);
          // The server would be stuck there.
          if (found <= at) found = nextOf(calendars[i]!, zone, at + 1);
          answers[i] = { minute, found };
        }
        if (answers[i]!.found < next) next = answers[i]!.found;
      }
      const isCalendars = next < window.to;
      const found = next;
      for (const interval of intervals) next = Math.min(next, nextOfInterval(interval, at + 1));
      if (next >= window.to) return times;
      if (isCalendars && next === found) times.push(next);
      at = next;
    }
  }

  private isLiteral(times: readonly number[], window: Window): boolean {
    let at = Math.max(window.from, this.first);
    for (const time of times) {
      if (this.literally.next(at) !== time) return false;
      at = time + 1;
    }
    return !(this.literally.next(at) < window.to);
  }
}
