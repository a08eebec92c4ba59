import { InvalidScheduleError } from './errors';

/**
 * Whether a text can be stored: without the character NUL, which Postgres refuses, and without one half of a surrogate
 * pair, which UTF-8 cannot encode.
 */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** In a text, replaces each character that cannot be stored by U+FFFD. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** The JSON of a value that came from another program, with each text value as in {@link storableText}. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_, item) => (typeof item === 'string' ? storableText(item) : item));
}

/**
 * Refuses texts in plain JSON that cannot be stored, even in places that no other check validates, such as a comment.
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
