import type { Calendar } from '../calendar/calendar';
import { CalendarGroup } from '../calendar/calendar-group';
import { SECONDS_PER_DAY } from '../civil';
import type { Interval } from '../interval';
import { indexFrom } from '../sorted';
import { spend } from '../steps';
import type { Zone } from '../zones/zone';
import { type Difference, differencesIn, type Stretch } from './server-walk';

const HOURS = 3600;
/** If the remembered windows would together hold more nominal times than this, all of them are forgotten first. */
const TIMES_KEPT = 20_000;
const STEPS_A_WINDOW = 20;

/**
 * The calendars of one spec that follow Temporal's rules. Near a clock change, each nominal time is computed from the
 * one before, as the server does, since the server's answer depends on the instant from which it searches. Deviations
 * from LITERAL that are found this way are remembered. Away from clock changes these calendars follow LITERAL.
 */
export class ServerGroup {
  /** For each window around a clock change, by its start in seconds: where the server's times differ from LITERAL. */
  private readonly kept = new Map<number, readonly Difference[]>();
  private timesKept = 0;
  private readonly literally: CalendarGroup;

  constructor(
    private readonly zone: Zone,
    private readonly calendars: readonly Calendar[],
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
      const window = this.windowAt(from);
      const difference = window && this.differences(window).find(({ to }) => from < to);
      if (difference !== undefined && difference.from <= from) {
        const found = difference.times[indexFrom(difference.times, from)];
        if (found !== undefined) return found;
        from = difference.to;
        continue;
      }
      const found = this.literally.next(from);
      const ahead = window ?? this.windowAfter(zone.segment(from));
      const end = difference?.from ?? (window === undefined ? ahead?.from : window.to);
      if (end === undefined || found < end || !Number.isFinite(found)) return found;
      from = end;
    }
  }

  /** The last occurrence that is not after `upTo`; minus infinity when there is none. */
  previous(upTo: number): number {
    const { zone } = this;
    for (;;) {
      spend(STEPS_A_WINDOW);
      const window = this.windowAt(upTo);
      const difference = window && this.differences(window).findLast(({ from }) => from <= upTo);
      if (difference !== undefined && upTo < difference.to) {
        const found = difference.times[indexFrom(difference.times, upTo + 1) - 1];
        if (found !== undefined) return found;
        upTo = difference.from - 1;
        continue;
      }
      const found = this.literally.previous(upTo);
      const behind = window ?? this.window(zone.segment(upTo));
      const start = difference?.to ?? (window === undefined ? behind?.to : window.from);
      if (start === undefined || found >= start || !Number.isFinite(found)) return found;
      upTo = start - 1;
    }
  }

  /** The windows that touch `from … upTo`, in order. */
  *windows(from: number, upTo: number): Iterable<Stretch> {
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

  /** The deviations of the server from LITERAL in a window. */
  differences(window: Stretch): readonly Difference[] {
    const known = this.kept.get(window.from);
    if (known !== undefined) return known;
    const { zone, calendars, intervals, literally, first } = this;
    const from = Math.max(window.from, first);
    const found =
      from < window.to ? differencesIn({ from, to: window.to }, { zone, calendars, intervals, literally }) : [];
    const times = found.reduce((sum, difference) => sum + difference.times.length, 0);
    if (this.timesKept + times > TIMES_KEPT) {
      this.kept.clear();
      this.timesKept = 0;
    }
    this.timesKept += times;
    this.kept.set(window.from, found);
    return found;
  }

  private windowAt(second: number): Stretch | undefined {
    const segment = this.zone.segment(second);
    const behind = this.window(segment);
    if (behind !== undefined && second < behind.to) return behind;
    const ahead = this.windowAfter(segment);
    return ahead !== undefined && second >= ahead.from ? ahead : undefined;
  }

  private windowAfter(segment: number): Stretch | undefined {
    return segment + 1 < this.zone.starts.length ? this.window(segment + 1) : undefined;
  }

  /** The window around the beginning of a segment. */
  private window(segment: number): Stretch | undefined {
    if (segment === 0) return undefined;
    const { starts, offsets } = this.zone;
    const start = starts[segment]!;
    const before = offsets[segment - 1]!;
    const after = offsets[segment]!;
    const change = Math.abs(after - before);
    // If missing time touches midnight, the server uses another day's weekday until the day ends.
    const dayBefore = Math.floor((start + before - change) / SECONDS_PER_DAY);
    const dayAfter = Math.floor((start + after + change) / SECONDS_PER_DAY);
    const reach = change + (after > before && dayBefore !== dayAfter ? 26 : 3) * HOURS;
    const next = segment + 1 < starts.length ? starts[segment + 1]! - 6 * HOURS : Number.POSITIVE_INFINITY;
    return { from: start - change - 3 * HOURS, to: Math.max(start, Math.min(start + reach, next)) };
  }
}
