import { InvalidScheduleError } from './errors';

/** Whether Postgres and Temporal accept a text. Neither accepts NUL, or half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/**
 * The text with U+FFFD in place of each character that cannot be stored. This keeps as much as possible of a text that
 * somebody else wrote.
 */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** JSON of a value that somebody else wrote, with each text as in {@link storableText}. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_, item) => (typeof item === 'string' ? storableText(item) : item));
}

/**
 * Refuse texts in plain JSON that cannot be stored, even in places that nothing else validates, such as a comment.
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
