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
  if (server !== undefined) first = Math.min(first, server.next(from));
  for (const interval of intervals) first = Math.min(first, nextOfInterval(interval, from));
  first = Math.min(first, instants[indexFrom(instants, from)] ?? Number.POSITIVE_INFINITY);
  return first === Number.POSITIVE_INFINITY ? Number.NaN : first;
}

/** The last instant of the union that is not after `upTo`; NaN when there is none. */
export function previousOfUnion(parts: Parts, upTo: number): number {
  const { own, server, intervals, instants } = parts;
  spend(1 + intervals.length);
  let last = own.previous(upTo);
  if (server !== undefined) last = Math.max(last, server.previous(upTo));
  for (const interval of intervals) last = Math.max(last, previousOfInterval(interval, upTo));
  last = Math.max(last, instants[indexFrom(instants, upTo + 1) - 1] ?? Number.NEGATIVE_INFINITY);
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
