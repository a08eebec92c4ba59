const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats a duration, such as `850 ms`, `4.2 s`, `3 min`, `2 h 5 min`, `12 d`. */
export function durationOf(milliseconds: number): string {
  const length = Math.abs(milliseconds);
  if (length < 1_000) return `${Math.round(length)} ms`;
  if (length < 10_000) return `${(length / 1_000).toFixed(1)} s`;
  if (length < 2 * MINUTE) return `${Math.round(length / 1_000)} s`;
  if (length < HOUR) return `${Math.round(length / MINUTE)} min`;
  if (length < DAY) {
    const minutes = Math.round((length % HOUR) / MINUTE);
    return minutes === 0 || minutes === 60
      ? `${Math.round(length / HOUR)} h`
      : `${Math.floor(length / HOUR)} h ${minutes} min`;
  }
  return `${Math.round(length / DAY)} d`;
}

/** Formats an instant relative to now, such as `in 4 min` or `2 h ago`. */
export function relativeTo(now: number, instant: number): string {
  const difference = instant - now;
  if (Math.abs(difference) < 1_000) return 'now';
  return difference > 0 ? `in ${durationOf(difference)}` : `${durationOf(difference)} ago`;
}

export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Formats an instant exactly, such as `Tue 2026-03-03 02:00:00 CET`. */
export function exactOf(instant: Date | string, zone: string, { seconds = true, withZone = true } = {}): string {
  const parts = partsOf(instant, zone);
  const time = `${parts.hour}:${parts.minute}${seconds ? `:${parts.second}` : ''}`;
  return `${parts.weekday} ${parts.year}-${parts.month}-${parts.day} ${time}${withZone ? ` ${parts.timeZoneName}` : ''}`;
}

/** Formats the time of day of an instant, such as `02:00`. */
export function clockOf(instant: Date | string, zone: string): string {
  const { hour, minute } = partsOf(instant, zone);
  return `${hour}:${minute}`;
}

/** Formats the date of an instant, such as `2026-03-03`. */
export function dateOf(instant: Date | string, zone: string): string {
  const { year, month, day } = partsOf(instant, zone);
  return `${year}-${month}-${day}`;
}

export function partsOf(instant: Date | string, zone: string): Record<string, string> {
  return Object.fromEntries(
    formatOf(zone)
      .formatToParts(new Date(instant))
      .map(({ type, value }) => [type, value]),
  );
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  });
  formats.set(zone, format);
  return format;
}

/** The value of `<input type="datetime-local">` for an instant. */
export function inputOf(instant: Date, zone: string): string {
  const { year, month, day, hour, minute } = partsOf(instant, zone);
  return `${year}-${month}-${day}T${hour}:${minute}`;
}

/**
 * The instant for a value of `<input type="datetime-local">`; for an empty value undefined. As on the server, a local
 * time that occurs twice means its first instant. A local time that clocks skip means the first instant after the skip.
 */
export function instantOf(text: string, zone: string): Date | undefined {
  const asUtc = Date.parse(`${text}Z`);
  if (Number.isNaN(asUtc)) return undefined;
  for (const hours of [26, 14, 0, -14]) {
    const offset = offsetAt(asUtc - hours * HOUR, zone);
    if (offsetAt(asUtc - offset, zone) === offset) return new Date(asUtc - offset);
  }
  const before = offsetAt(asUtc - 26 * HOUR, zone);
  let skipped = Math.floor((asUtc - offsetAt(asUtc + 26 * HOUR, zone)) / MINUTE) * MINUTE;
  while (skipped < asUtc - before && offsetAt(skipped, zone) === before) skipped += MINUTE;
  return new Date(skipped);
}

function offsetAt(instant: number, zone: string): number {
  const { year, month, day, hour, minute, second } = partsOf(new Date(instant), zone);
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) - Math.floor(instant / 1_000) * 1_000;
}
