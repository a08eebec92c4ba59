import ms, { type StringValue } from 'ms';
import { counted } from './counted';

/** A year as `ms` reads it. */
const YEAR = 365.25 * 24 * 60 * 60 * 1_000;
const LONGEST_MILLISECONDS = 100 * YEAR;
/** The longest text that `ms` reads: it returns undefined for a longer one, and throws on an empty one. */
const LONGEST_TEXT = 100;

/** The milliseconds of a value of Temporal's type `Duration`, of any sign and size; undefined for an invalid value. */
export function millisecondsOf(value: unknown): number | undefined {
  const isText = typeof value === 'string' && value !== '' && value.length <= LONGEST_TEXT;
  const read = isText ? (ms(value as StringValue) as number | undefined) : value;
  return typeof read === 'number' && Number.isFinite(read) ? read : undefined;
}

/** Whether a value is a duration above 0 and of at most 100 years. */
export function isDuration(value: unknown): boolean {
  const milliseconds = millisecondsOf(value);
  return milliseconds !== undefined && milliseconds > 0 && !isTooLong(milliseconds);
}

export function isTooLong(milliseconds: number): boolean {
  return milliseconds > LONGEST_MILLISECONDS;
}

const UNITS = { day: 86_400_000, hour: 3_600_000, minute: 60_000, second: 1_000 };

/**
 * A duration of at least 0 in words, such as `1 minute 30 seconds`. It is exact to the second, and below a minute to the
 * millisecond.
 */
export function durationInWords(milliseconds: number): string {
  if (milliseconds < UNITS.second) return `${milliseconds} ms`;
  if (milliseconds % YEAR === 0) return counted(milliseconds / YEAR, 'year');
  let rest = milliseconds < UNITS.minute ? milliseconds : milliseconds - (milliseconds % UNITS.second);
  return Object.entries(UNITS)
    .flatMap(([unit, length]) => {
      const count = unit === 'second' ? rest / length : Math.floor(rest / length);
      rest -= count * length;
      return count === 0 ? [] : counted(count, unit);
    })
    .join(' ');
}
