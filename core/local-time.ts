export interface LocalTime {
  /** The day of the week, such as `Fri`. */
  weekday: string;
  /** The date, such as `2026-11-20`. */
  date: string;
  /** The time of day, such as `02:00:00`. */
  time: string;
  /** The UTC offset, such as `+01:00`. */
  offset: string;
}

/**
 * Formatters by the zone's name in lower case, since Intl accepts names in any case. They are cached, since creating one
 * costs far more than using it.
 */
const formats = new Map<string, Intl.DateTimeFormat>();

/** @throws {RangeError} if there is no such zone */
export function localTime(instant: Date, timeZone: string): LocalTime {
  const key = timeZone.toLowerCase();
  let format = formats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      weekday: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'longOffset',
    });
    formats.set(key, format);
  }
  const part = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  return {
    weekday: part.weekday!,
    date: `${part.year}-${part.month}-${part.day}`,
    time: `${part.hour}:${part.minute}:${part.second}`,
    // For an offset of 0, some engines write `GMT+00:00`, and others only `GMT`.
    offset: part.timeZoneName!.replace('GMT', '') || '+00:00',
  };
}
