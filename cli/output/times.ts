import ms from 'ms';
import { localTime } from '../../core/local-time';

/** How instants are shown to people: in which time zone, and whether with their distance from now. */
export interface TimeForm {
  /** The IANA name of the zone; undefined if only the distance from now is shown. */
  zone: string | undefined;
  withDistance: boolean;
}

export const UTC: TimeForm = { zone: 'UTC', withDistance: false };

/**
 * Formats an instant to the second, such as `2026-11-20T02:00:00+01:00 (3h ago)`. If an instant has milliseconds, as
 * the time of a manual firing does, they are shown too.
 */
export function timeInWords(instant: Date, { zone, withDistance }: TimeForm, now = new Date()): string {
  if (zone === undefined) return distanceOf(instant, now);
  const shown = zone === 'UTC' ? instant.toISOString().replace('.000Z', 'Z') : inZone(instant, zone);
  return withDistance ? `${shown} (${distanceOf(instant, now)})` : shown;
}

/** The distance of an instant from now in the largest unit that fits, such as `3h ago` or `in 3h`. */
export function distanceOf(instant: Date, now = new Date()): string {
  const milliseconds = instant.getTime() - now.getTime();
  // A distance below a second would be outdated before a person could read it.
  if (Math.abs(milliseconds) < 1_000) return 'now';
  return milliseconds > 0 ? `in ${ms(milliseconds)}` : `${ms(-milliseconds)} ago`;
}

function inZone(instant: Date, zone: string): string {
  const { date, time, offset } = localTime(instant, zone);
  const milliseconds = instant.getTime() % 1_000;
  const fraction = milliseconds === 0 ? '' : `.${String(Math.abs(milliseconds)).padStart(3, '0')}`;
  return `${date}T${time}${fraction}${offset}`;
}

export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
}

/** @throws {RangeError} if there is no such zone */
export function checkZone(zone: string): string {
  localTime(new Date(0), zone);
  return zone;
}
