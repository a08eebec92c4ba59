import { zoneNamed } from '../core/occurrences/zones/zones';

/**
 * The next clock change of a time zone after `after`.
 *
 * @throws {InvalidScheduleError} if there is no such zone
 * @throws {RangeError} if no clock change is found; at least the next two years are searched
 * @see `docs/testing.md`
 */
export function nextDstChange(timezone: string, after: Date): Date {
  const zone = zoneNamed(timezone, 'timezone');
  const second = Math.floor(after.getTime() / 1_000);
  // A zone that still changes its clock regularly does so within two years.
  zone.cover(second + 2 * YEAR);
  const change = zone.end(zone.segment(second));
  if (!Number.isFinite(change))
    throw new RangeError(`the clocks of ${timezone} do not change after ${after.toISOString()}`);
  return new Date(change * 1_000);
}

const YEAR = 366 * 24 * 60 * 60;
