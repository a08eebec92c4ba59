import { InvalidScheduleError } from './errors';

/** Whether Postgres and Temporal take a text: neither takes NUL, or half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** The text with U+FFFD for each character that cannot be stored: what somebody else wrote is kept as well as it can be. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** The JSON of a value that somebody else wrote, each of its texts as {@link storableText}. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_, item) => (typeof item === 'string' ? storableText(item) : item));
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
