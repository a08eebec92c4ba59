import { isDeepStrictEqual } from 'node:util';

/** Whether two values are equal as JSON: with Dates as texts, and without undefined fields. */
export function isSameJson(given: unknown, known: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(JSON.stringify(given)), JSON.parse(JSON.stringify(known)));
  } catch {
    return false;
  }
}
