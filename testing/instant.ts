import { readTimeOrDate } from '../core/spec-zone';

/**
 * An instant in epoch milliseconds. A text without an offset is read as UTC, since a test must not depend on the time
 * zone of its machine.
 */
export function instantOf(value: Date | string | number, name = ''): number {
  const time = typeof value === 'string' ? read(value) : new Date(value).getTime();
  if (Number.isNaN(time)) throw new TypeError(`${name}${value} is not an instant; 2026-11-20T02:00:00Z is one`);
  return time;
}

function read(text: string): number {
  try {
    return readTimeOrDate(text, 'UTC', '').getTime();
  } catch {
    return Number.NaN;
  }
}
