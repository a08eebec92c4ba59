/** Before the year 1 and after the year 9999, Postgres and JavaScript format instants differently. */
const FIRST = Date.parse('0001-01-01T00:00:00Z');
const BEHIND = Date.UTC(10_000, 0, 1);

const SPECIAL = /["\\]/g;

/** A batch often repeats one instant, so the last instant and its literal are cached. */
let latest = { instant: 0, literal: '"1970-01-01T00:00:00.000Z"' };

/**
 * Formats an array parameter as Postgres reads it. `pg` does this too, but slower. Arrays that contain anything but
 * strings, numbers, booleans, nulls and instants of the years 1 to 9999 are left to `pg`.
 *
 * @see https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO
 */
export function arrayLiteral(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  let literal = '{';
  for (const element of value) {
    const text = elementLiteral(element);
    if (text === undefined) return value;
    literal += literal.length === 1 ? text : `,${text}`;
  }
  return `${literal}}`;
}

function elementLiteral(element: unknown): string | undefined {
  if (element === null || element === undefined) return 'NULL';
  if (typeof element === 'string') {
    const isPlain = !element.includes('"') && !element.includes('\\');
    return isPlain ? `"${element}"` : `"${element.replace(SPECIAL, '\\$&')}"`;
  }
  if (typeof element === 'number' || typeof element === 'boolean') return String(element);
  if (!(element instanceof Date)) return undefined;
  const instant = element.getTime();
  if (instant === latest.instant) return latest.literal;
  if (!(instant >= FIRST && instant < BEHIND)) return undefined;
  latest = { instant, literal: `"${element.toISOString()}"` };
  return latest.literal;
}
