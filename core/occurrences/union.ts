import { nextOf, occursAt, previousOf, showsAt } from './dst';
import { intervalHas, nextOfInterval, previousOfInterval } from './interval';
import type { Parts } from './parts';

/** The union of a spec's parts, before `skip` and before its bounds. */

/** The first instant that is not before `from`; NaN when there is none. */
export function nextOfUnion(parts: Parts, from: number): number {
  const { zone, calendars, intervals, instants } = parts;
  let first = Number.POSITIVE_INFINITY;
  for (let i = 0; i < calendars.length; i++) {
    const found = nextOf(calendars[i]!, zone, from);
    if (found < first) first = found;
  }
  for (let i = 0; i < intervals.length; i++) {
    const found = nextOfInterval(intervals[i]!, from);
    if (found < first) first = found;
  }
  if (instants.length > 0) {
    const found = instants[indexFrom(instants, from)];
    if (found !== undefined && found < first) first = found;
  }
  return first === Number.POSITIVE_INFINITY ? Number.NaN : first;
}

/** The last instant that is not after `upTo`; NaN when there is none. */
export function previousOfUnion(parts: Parts, upTo: number): number {
  const { zone, calendars, intervals, instants } = parts;
  let last = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < calendars.length; i++) {
    const found = previousOf(calendars[i]!, zone, upTo);
    if (found > last) last = found;
  }
  for (let i = 0; i < intervals.length; i++) {
    const found = previousOfInterval(intervals[i]!, upTo);
    if (found > last) last = found;
  }
  if (instants.length > 0) {
    const found = instants[indexFrom(instants, upTo + 1) - 1];
    if (found !== undefined && found > last) last = found;
  }
  return last === Number.NEGATIVE_INFINITY ? Number.NaN : last;
}

/** Whether `skip` takes an instant away: Temporal's rule, by what the wall clock shows. */
export function skipped(parts: Parts, second: number): boolean {
  return parts.skip.some((calendar) => showsAt(calendar, parts.zone, second));
}

/** Whether a calendar or an interval occurs at an instant. */
export function recursAt(parts: Parts, second: number): boolean {
  return (
    parts.intervals.some((interval) => intervalHas(interval, second)) ||
    parts.calendars.some((calendar) => occursAt(calendar, parts.zone, second))
  );
}

/** The index of the first number that is not less than `value`. */
export function indexFrom(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
