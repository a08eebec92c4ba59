import { InvalidScheduleError } from './errors';

/** Whether Postgres and Temporal take a text: neither takes NUL, or half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/**
 * Refuse texts anywhere in plain JSON that cannot be stored, such as in a comment that nothing else reads.
 *
 * @throws {InvalidScheduleError} with the path of the text
 */
export function checkStorable(value: unknown, path: string): void {
  if (typeof value === 'string' && !isStorable(value)) {
    throw new InvalidScheduleError(path, 'has characters that cannot be stored');
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    checkStorable(item, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`);
  }
}
