import { zoneNamed } from '../core/occurrences/zones/zones';

/**
 * The next instant after `after` at which the clocks of a zone change.
 *
 * @throws {InvalidScheduleError} when there is no such zone
 * @throws {RangeError} when its clocks do not change any more
 * @see `docs/testing.md`
 */
export function nextDstChange(timezone: string, after: Date): Date {
  const zone = zoneNamed(timezone, 'timezone');
  const second = Math.floor(after.getTime() / 1_000);
  // Asking further on makes the table reach there; two years hold the next change of any zone that still has them.
  zone.cover(second + 2 * YEAR);
  const change = zone.end(zone.segment(second));
  if (!Number.isFinite(change))
    throw new RangeError(`the clocks of ${timezone} do not change after ${after.toISOString()}`);
  return new Date(change * 1_000);
}

const YEAR = 366 * 24 * 60 * 60;
