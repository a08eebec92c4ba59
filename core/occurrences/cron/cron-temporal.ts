import { didYouMean } from '../../closest';
import { InvalidScheduleError } from '../../errors';
import { DAY_OF_MONTH, DAY_OF_WEEK, type Field, HOUR, MINUTE, MONTH, SECOND } from '../fields';
import { type CalendarRanges, type FieldRange, only, TEMPORAL_YEAR } from '../ranges';
import { show } from '../show';
import { spend } from '../steps';
import { parseGoDuration } from './go-duration';

/** One entry of `spec.cronExpressions`, parsed as Temporal's server does. */
export interface TemporalCron {
  calendar?: CalendarRanges & { comment: string };
  /** The interval from `@every`; both values in milliseconds. */
  interval?: { every: number; offset: number };
  /** The time zone from `CRON_TZ=` or `TZ=`; empty when there is none, or for `@every`. */
  timezone: string;
}

const encoder = new TextEncoder();
const STEPS_AN_ITEM = 100;

const MAX_LENGTH = 4096;

const SPACE = '[\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const A_SPACE = new RegExp(SPACE);
const SPACES = new RegExp(`${SPACE}+`);

const MACROS = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

/**
 * @throws {InvalidScheduleError} if the server would refuse the expression, or if it is longer than 4,096 characters
 */
export function readTemporalCron(expression: unknown, path: string): TemporalCron {
  const refuse = (problem: string): never => {
    throw new InvalidScheduleError(path, problem);
  };
  if (typeof expression !== 'string') return refuse(`is a string, not ${show(expression)}`);
  if (expression.length > MAX_LENGTH) refuse(`is longer than ${MAX_LENGTH} characters`);
  spend(expression.length);
  let text = trimmed(expression);
  let timezone = '';
  if (/^(CRON_)?TZ=/.test(text)) {
    const space = text.indexOf(' ');
    if (space < 0) refuse('has a time zone and no fields');
    timezone = text.slice(text.indexOf('=') + 1, space);
    text = text.slice(space + 1);
  }
  const hash = text.indexOf('#');
  const comment = hash < 0 ? '' : trimmed(text.slice(hash + 1));
  if (encoder.encode(comment).length > 200) refuse('the comment is longer than 200 bytes');
  text = trimmed(hash < 0 ? text : text.slice(0, hash));
  // The server ignores a time zone in front of @every.
  if (text.startsWith('@every')) return { interval: readEvery(text, refuse), timezone: '' };
  const fields = (MACROS.get(text) ?? text).split(SPACES);
  if (fields.length === 5) fields.push('*');
  if (fields.length === 6) fields.unshift('0');
  if (fields.length !== 7) {
    refuse(`${show(expression)} does not have 5, 6 (trailing year) or 7 (leading second) fields`);
  }
  const [second, minute, hour, dayOfMonth, month, dayOfWeek, year] = fields as [
    ...[string, string, string, string, string, string, string],
  ];
  const calendar = {
    second: readTemporalField(SECOND, second, path),
    minute: readTemporalField(MINUTE, minute, path),
    hour: readTemporalField(HOUR, hour, path),
    dayOfMonth: readTemporalField(DAY_OF_MONTH, dayOfMonth, path),
    month: readTemporalField(MONTH, month, path),
    dayOfWeek: readTemporalField(DAY_OF_WEEK, dayOfWeek, path).flatMap(withSundayFirst),
    year: year === '*' ? [] : readTemporalField(TEMPORAL_YEAR, year, path),
    comment,
  };
  return { calendar, timezone };
}

/** Trims a text by characters, since a pattern for spaces at its end would take quadratic time on many spaces. */
function trimmed(text: string): string {
  let from = 0;
  let to = text.length;
  // `charAt` is empty beyond both ends.
  while (A_SPACE.test(text.charAt(from))) from++;
  while (A_SPACE.test(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}

function readEvery(text: string, refuse: (problem: string) => never): { every: number; offset: number } {
  const space = text.indexOf(' ');
  if (space < 0) return refuse('has no interval after @every');
  const slash = text.indexOf('/', space);
  const every = text.slice(space + 1, slash < 0 ? undefined : slash);
  const offset = slash < 0 ? '' : text.slice(slash + 1);
  const read = (written: string): number =>
    parseGoDuration(written) ??
    refuse(`${show(written)} is not a duration; a number with one of ms, s, m, h, d is (90m, 1h30m)`);
  return { every: read(every), offset: offset === '' ? 0 : read(offset) };
}

/** In the result, Sunday may be 7. */
function readTemporalField(field: Field, text: string, path: string): FieldRange[] {
  const refuse = (problem: string): never => {
    throw new InvalidScheduleError(path, `${field.label} ${show(text)} ${problem}`);
  };
  const value = (written: string, min: number): number => {
    const read = readValue(field, written);
    if (read === undefined || read < min || read > field.max) {
      const near = field.names === undefined ? '' : didYouMean(written, field.names);
      return refuse(`is not in the range ${min}-${field.max}${near}`);
    }
    return read;
  };
  return text.split(',').map((item) => {
    const [body, stepText, ...more] = item.split('/') as [string, string | undefined, ...string[]];
    if (more.length > 0) refuse('has too many slashes');
    const step = stepText === undefined ? 1 : /^[+-]?\d+$/.test(stepText) ? Number(stepText) : 0;
    if (!(step >= 1 && step <= 0x7fffffff)) refuse('has an invalid step');
    spend(STEPS_AN_ITEM);
    if (body === '*') return { start: field.min, end: field.max, step };
    const bounds = body.split('-');
    if (bounds.length > 2) refuse('has too many dashes');
    const start = value(bounds[0]!, field.min);
    if (bounds.length === 2) return { start, end: value(bounds[1]!, start), step };
    return stepText === undefined ? only(start) : { start, end: field.max, step };
  });
}

/**
 * The server stores Sunday as 0. A Sunday that was given as 7 becomes a range of its own. As in the server, `0-7` and
 * `1-7` with a step of 1 become `0-6` and `1-6`.
 */
function withSundayFirst({ start, end, step }: FieldRange): FieldRange[] {
  if (end !== 7) return [{ start, end, step }];
  const isSunday = (7 - start) % step === 0;
  if (start === 7) return [only(0)];
  const days = { start, end: 6, step };
  return isSunday && (step > 1 || start > 1) ? [only(0), days] : [days];
}

/** Reads a number, or the name of a month (three letters or more) or a day (two letters or more). */
function readValue(field: Field, written: string): number | undefined {
  const { names } = field;
  if (names !== undefined && written.length >= (names.length === 12 ? 3 : 2)) {
    const index = names.findIndex((name) => name.startsWith(written.toUpperCase()));
    if (index >= 0) return index + field.nameBase!;
  }
  return /^[+-]?\d+$/.test(written) ? Number(written) : undefined;
}
