import { type Calendar, localFrom, localUpTo, matches } from './calendar/calendar';
import type { Zone } from './zones/zone';

/**
 * This file decides at which instants a calendar's local times occur around clock changes. An instant is in Unix
 * seconds; a local time is in Unix seconds plus the zone's offset.
 *
 * LITERAL: an instant is an occurrence if the clock then shows a matching time, so missing times do not occur, and
 * repeated times occur twice. ONCE: a matching local time occurs once, at the first instant at which the clock shows or
 * has passed it.
 */

/** Two days are longer than any difference between UTC offsets, and than any clock change. */
const TWO_DAYS = 172_800;

/** The first occurrence that is not before `from`; NaN when there is none. */
export function nextOf(calendar: Calendar, zone: Zone, from: number): number {
  return calendar.once ? nextOnce(calendar, zone, from) : nextLiteral(calendar, zone, from);
}

/** The last occurrence that is not after `upTo`; NaN when there is none. */
export function previousOf(calendar: Calendar, zone: Zone, upTo: number): number {
  return calendar.once ? previousOnce(calendar, zone, upTo) : previousLiteral(calendar, zone, upTo);
}

/** Whether the clock of the zone shows a matching time at an instant. */
export function showsAt(calendar: Calendar, zone: Zone, second: number): boolean {
  return matches(calendar, second + zone.offset(second));
}

function nextOnce(calendar: Calendar, zone: Zone, from: number): number {
  const local = localFrom(calendar, zone.reachedAt(from - 1));
  return Number.isNaN(local) ? Number.NaN : zone.firstReach(local);
}

function previousOnce(calendar: Calendar, zone: Zone, upTo: number): number {
  const local = localUpTo(calendar, zone.reachedAt(upTo) - 1);
  return Number.isNaN(local) ? Number.NaN : zone.firstReach(local);
}

function nextLiteral(calendar: Calendar, zone: Zone, from: number): number {
  for (;;) {
    const offset = zone.offset(from);
    const local = localFrom(calendar, from + offset);
    if (Number.isNaN(local)) return Number.NaN;
    const found = local - offset;
    zone.cover(found);
    const end = zone.end(zone.segment(from));
    if (found < end) return found;
    // After `end`, the clock may show local times of this segment once more. If `from` is more than two days before
    // `end`, those times have no match, so the search continues two days before `found`.
    from = end - from > TWO_DAYS ? Math.max(end, found - TWO_DAYS) : end;
  }
}

function previousLiteral(calendar: Calendar, zone: Zone, upTo: number): number {
  for (;;) {
    const offset = zone.offset(upTo);
    const local = localUpTo(calendar, upTo + offset);
    if (Number.isNaN(local)) return Number.NaN;
    const found = local - offset;
    zone.cover(found);
    const segment = zone.segment(upTo);
    const start = zone.starts[segment]!;
    if (found >= start) return found;
    upTo = upTo - start > TWO_DAYS ? Math.min(start - 1, found + TWO_DAYS) : start - 1;
  }
}
