import { InvalidScheduleError } from './errors';
import { localTime } from './local-time';
import { timezoneOf } from './occurrences/compile';
import { isDate } from './occurrences/read';
import { show } from './occurrences/show';
import { zoneNamed } from './occurrences/zones/zones';
import { isInstant } from './option-fields';
import type { ScheduleSpec } from './schedule/spec';

const WITH_OFFSET = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;
const LOCAL = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?$/;

/** The time zone of a spec, from `timezone` or from Temporal's `CRON_TZ=`; UTC if the spec names none. */
export function zoneOf(spec: ScheduleSpec): string {
  try {
    return timezoneOf(spec) || 'UTC';
  } catch (error) {
    if (!(error instanceof InvalidScheduleError)) throw error;
    return spec.timezone || 'UTC';
  }
}

/**
 * Reads an instant, or a local time such as `2026-11-20 02:00` in a zone. For a repeated local time the result is its
 * first instant, and for a missing one the first instant after the clock change.
 *
 * @throws {InvalidScheduleError} naming `path`
 */
export function readTime(value: Date | string, timeZone: string, path: string): Date {
  if (value instanceof Date && isInstant(value.getTime())) return value;
  if (typeof value === 'string' && isDate(value.slice(0, 10))) {
    const local = LOCAL.exec(value);
    if (local) {
      const second = Date.parse(`${local[1]}T${local[2]}${local[3] ?? ':00'}Z`) / 1_000;
      const time = Number.isNaN(second) ? second : zoneNamed(timeZone, path).firstReach(second) * 1_000;
      if (isInstant(time)) return new Date(time);
    } else if (WITH_OFFSET.test(value) && isInstant(Date.parse(value))) {
      return new Date(value);
    }
  }
  throw new InvalidScheduleError(
    path,
    `${show(value)} is not a time; use 2026-11-20T02:00:00Z, or 2026-11-20T02:00 in the schedule's zone`,
  );
}

/** Like {@link readTime}, for a text that may be only a date; the result is then the date's first instant. */
export function readTimeOrDate(value: string, timeZone: string, path: string): Date {
  return readTime(/^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00` : value, timeZone, path);
}

/** Formats an instant in a zone, such as `Fri 2026-11-20 02:00:00 +01:00`. */
export function showTime(instant: Date, timeZone: string): string {
  const { weekday, date, time, offset } = localTime(instant, timeZone);
  return `${weekday} ${date} ${time} ${offset}`;
}
