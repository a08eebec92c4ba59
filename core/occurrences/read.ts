import { didYouMean } from '../closest';
import { millisecondsOf } from '../duration';
import { InvalidScheduleError } from '../errors';
import { daysInMonth, FIRST_SECOND, LAST_SECOND } from './civil';
import { show } from './show';
import { spend } from './steps';

/**
 * This file parses the plain values of a spec. A spec from code contains Dates, and a spec from JSON contains texts.
 */

/** The maximum number of entries in one list of a spec, unless another limit is given. */
const PARTS_AT_MOST = 1_000;
/** The most entries of `spec.at`. */
export const INSTANTS_AT_MOST = 10_000;
const STEPS_A_DATE = 20;
const STEPS_A_TEXT = 30;

const DATE = /^(\d{4}|[+-]\d{6})-(\d\d)-(\d\d)$/;
/**
 * The text of an instant must end with a zone, since its meaning would otherwise depend on the time zone of the
 * process. Years beyond 9999 are written as JSON writes a Date.
 */
const INSTANT = /^((?:\d{4}|[+-]\d{6})-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** Reads a Date, or a text such as `2026-11-20T02:00:00Z`, as epoch milliseconds. */
export function readInstant(value: unknown, path: string): number {
  spend(value instanceof Date ? STEPS_A_DATE : STEPS_A_TEXT);
  const time = value instanceof Date ? value.getTime() : parseInstant(value);
  if (!Number.isNaN(time)) return time;
  throw new InvalidScheduleError(path, `${show(value)} is not an instant; a Date or "2026-11-20T02:00:00Z" is allowed`);
}

/** The epoch milliseconds of an instant's text; NaN for any other value. */
export function parseInstant(value: unknown): number {
  const date = typeof value === 'string' ? INSTANT.exec(value)?.[1] : undefined;
  return date !== undefined && isDate(date) ? Date.parse(value as string) : Number.NaN;
}

/** Whether a value is the text of a date that exists. `Date.parse` would read February 30th as a day in March. */
export function isDate(value: unknown): boolean {
  const [, year, month, day] = (typeof value === 'string' && DATE.exec(value)?.map(Number)) || [];
  return day !== undefined && day >= 1 && day <= daysInMonth(year!, month!);
}

/** Reads an instant of `spec.at`: whole seconds from 1970 to 2100. */
export function readWholeSecond(value: unknown, path: string): number {
  const second = readInstant(value, path) / 1000;
  if (!Number.isInteger(second)) throw new InvalidScheduleError(path, `${show(value)} is not a whole second`);
  if (second < FIRST_SECOND || second > LAST_SECOND) {
    throw new InvalidScheduleError(path, `${show(value)} is not in the years 1970 to 2100`);
  }
  return second;
}

/** In milliseconds. */
export function readDuration(value: unknown, path: string): number {
  const milliseconds = millisecondsOf(value);
  if (milliseconds !== undefined) return milliseconds;
  throw new InvalidScheduleError(
    path,
    `${show(value)} is not a duration; "5 minutes", "1h" or milliseconds are allowed`,
  );
}

export function readJitter(value: unknown): number {
  const jitter = readDuration(value, 'spec.jitter');
  if (jitter < 0) throw new InvalidScheduleError('spec.jitter', `${show(value)} is negative`);
  return jitter;
}

/** Reads a list; a single value counts as a list of one, and a missing value as an empty list. */
export function readList<T>(
  value: T | readonly T[] | undefined,
  path: string,
  atMost = PARTS_AT_MOST,
): { value: T; path: string }[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return [{ value: value as T, path }];
  if (value.length > atMost) {
    throw new InvalidScheduleError(
      path,
      `has ${value.length} entries; at most ${atMost.toLocaleString('en')} are allowed`,
    );
  }
  return value.map((item, i) => ({ value: item as T, path: `${path}[${i}]` }));
}

export function refuseUnknown(object: object, known: readonly string[], path: string): void {
  for (const key of Object.keys(object)) {
    if (known.includes(key)) continue;
    throw new InvalidScheduleError(
      `${path}.${key}`,
      `is not a field here; ${known.join(', ')} are${didYouMean(key, known)}`,
    );
  }
}
