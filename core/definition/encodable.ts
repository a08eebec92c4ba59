import { InvalidScheduleError } from '../errors';
import { show } from '../occurrences/show';

/** Types of values, besides undefined, that JSON silently drops. */
const UNREADABLE = ['function', 'symbol'];

/**
 * Refuse functions and symbols in plain lists and objects. Objects with a `toJSON` and objects of other classes are
 * left to the data converter.
 *
 * @throws {InvalidScheduleError} with the path of the value
 */
export function checkEncodable(value: unknown, path: string, around: readonly unknown[] = []): void {
  if (UNREADABLE.includes(typeof value)) {
    throw new InvalidScheduleError(
      path,
      `${show(value)} cannot be encoded; give plain data, such as text, numbers and lists`,
    );
  }
  // A value that contains itself is left to the data converter.
  if (!isPlain(value) || around.includes(value)) return;
  const within = [...around, value];
  for (const [key, item] of Object.entries(value)) {
    checkEncodable(item, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`, within);
  }
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}
