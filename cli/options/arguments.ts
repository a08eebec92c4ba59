import { InvalidArgumentError } from 'commander';
import { EMPTY_FILTER } from '../../core/option-fields';
import { readTimeOrDate } from '../../core/spec-zone';

/** Parses an instant in ISO 8601. A time without an offset is read as UTC, whatever the time zone of this process. */
export function parseTime(value: string): Date {
  try {
    return readTimeOrDate(value, 'UTC', 'time');
  } catch {
    throw new InvalidArgumentError('use ISO 8601, such as 2026-11-20T02:00:00Z or 2026-11-20.');
  }
}

/** Refuses an empty filter, such as that of an unset shell variable. */
export function parseFilter(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError(`it ${EMPTY_FILTER}.`);
  return value;
}

/** Checks a text that is parsed later as a time in the zone that another option names. */
export function parseLocalTime(value: string): string {
  parseTime(value);
  return value;
}

export function parseCount(value: string): number {
  const count = Number(value);
  if (!Number.isInteger(count) || count < 1 || count > 10_000) {
    throw new InvalidArgumentError('use a whole number from 1 to 10000.');
  }
  return count;
}

export function parseWhole(value: string): number {
  const count = Number(value);
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(count))
    throw new InvalidArgumentError('use a whole number from 0.');
  return count;
}

/** Parses a whole number of 0 or more; `unlimited` gives infinity. */
export function parseLimit(value: string): number {
  if (value === 'unlimited') return Number.POSITIVE_INFINITY;
  try {
    return parseWhole(value);
  } catch {
    throw new InvalidArgumentError("use a whole number from 0, or 'unlimited'.");
  }
}

/** Adds one more text to the values of a repeated option. */
export function parseTexts(value: string, previous: string[] = []): string[] {
  return [...previous, value];
}

export function parsePositive(value: string): number {
  const number = Number(value);
  if (!(number > 0) || !Number.isFinite(number)) throw new InvalidArgumentError('use a number above 0.');
  return number;
}

export function parseJsonValues(value: string, previous: unknown[] = []): unknown[] {
  return [...previous, readJson(value)];
}

/** Collect one more `KEY=JSON`, as in the Temporal CLI. */
export function parsePairs(value: string, previous: Record<string, unknown> = {}): Record<string, unknown> {
  const [, key, json] = /^([^=]+)=(.*)$/s.exec(value) ?? [];
  if (key === undefined) throw new InvalidArgumentError(`use a form such as 'Team="ops"'.`);
  return { ...previous, [key]: readJson(json!) };
}

export function parseJson(value: string): unknown {
  return readJson(value);
}

function readJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw new InvalidArgumentError(`'${value}' is not JSON; a text is written '"text"'.`);
  }
}

/** Parses a TCP port; 0 stands for any free port. */
export function parsePort(value: string): number {
  const port = parseWhole(value);
  if (port > 65_535) throw new InvalidArgumentError('a port is a whole number up to 65535');
  return port;
}

export function parseHttpUrl(value: string): string {
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value;
  throw new InvalidArgumentError('use an address such as http://127.0.0.1:8233.');
}
