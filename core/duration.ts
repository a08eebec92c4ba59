import ms, { type StringValue } from 'ms';

const LONGEST_MILLISECONDS = 100 * 365.25 * 24 * 60 * 60 * 1_000;
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
