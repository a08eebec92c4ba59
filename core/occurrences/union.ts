import { showsAt } from './dst';
import { intervalHas, nextOfInterval, previousOfInterval } from './interval';
import type { Parts } from './parts';
import { indexFrom } from './sorted';
import { spend } from './steps';

const STEPS_TO_SHOW = 5;

/** This file computes the union of a spec's parts, before `skip` and before the spec's start and end. */

/** The first instant of the union that is not before `from`; NaN when there is none. */
export function nextOfUnion(parts: Parts, from: number): number {
  const { own, server, intervals, instants } = parts;
  spend(1 + intervals.length);
  let first = own.next(from);
  if (server !== undefined) {
    const found = server.next(from);
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

/** The last instant of the union that is not after `upTo`; NaN when there is none. */
export function previousOfUnion(parts: Parts, upTo: number): number {
  const { own, server, intervals, instants } = parts;
  spend(1 + intervals.length);
  let last = own.previous(upTo);
  if (server !== undefined) {
    const found = server.previous(upTo);
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

/**
 * Whether `skip` removes an instant. By Temporal's rule, this depends on the local time that the clock of the zone
 * shows.
 */
export function skipped(parts: Parts, second: number): boolean {
  spend(parts.skip.length * STEPS_TO_SHOW);
  return parts.skip.some((calendar) => showsAt(calendar, parts.zone, second));
}

export function recursAt(parts: Parts, second: number): boolean {
  spend(parts.intervals.length);
  return (
    parts.intervals.some((interval) => intervalHas(interval, second)) ||
    parts.own.next(second) === second ||
    parts.server?.next(second) === second
  );
}
