import { DEFAULTS } from '../../core/defaults';
import { InvalidOptionError } from '../../core/errors';
import { isStorable } from '../../core/storable';
import { isUuid } from '../../core/uuid';

/** The key of a page's last row as an opaque text. `order` is the order of the list that the cursor belongs to. */
export function writeCursor(order: string, key: (string | null)[]): string {
  return Buffer.from(JSON.stringify([order, ...key])).toString('base64url');
}

/** @throws {InvalidOptionError} for a text that is not from {@link writeCursor}, or for a cursor of another order */
export function readCursor(cursor: string, order: string): (string | null)[] {
  const [former, ...key] = partsOf(cursor);
  if (former === undefined || key.length === 0) throw new InvalidOptionError('cursor', NO_CURSOR);
  if (former !== order) throw new InvalidOptionError('cursor', `is of a page in the order '${former}', not '${order}'`);
  return key;
}

/** An instant of a cursor's key; null for none. @throws {InvalidOptionError} for a value that is not an instant */
export function readInstant(text: string | null | undefined): Date | null {
  if (text === null) return null;
  const instant = new Date(readText(text));
  // Years with more than four digits are refused, since Postgres may not support them.
  if (Number.isNaN(instant.getTime()) || !/^\d{4}-/.test(readText(text)))
    throw new InvalidOptionError('cursor', NO_CURSOR);
  return instant;
}

/** A text of a cursor's key. @throws {InvalidOptionError} if the text is missing or cannot be stored */
export function readText(text: string | null | undefined): string {
  if (typeof text !== 'string' || !isStorable(text)) throw new InvalidOptionError('cursor', NO_CURSOR);
  return text;
}

/** A UUID of a cursor's key. @throws {InvalidOptionError} for another text: Postgres fails on it */
export function readUuid(text: string | null | undefined): string {
  const uuid = readText(text);
  if (!isUuid(uuid)) throw new InvalidOptionError('cursor', NO_CURSOR);
  return uuid;
}

const NO_CURSOR = 'is not a cursor; give the nextCursor of the previous page';

function partsOf(cursor: string): (string | null)[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const isKey = Array.isArray(parts) && parts.every((part) => typeof part === 'string' || part === null);
    return isKey ? parts : [];
  } catch {
    return [];
  }
}

export function sizeOf(pageSize: number | undefined): number {
  return pageSize ?? DEFAULTS.pageSize;
}

/** Cut a page from `size` + 1 rows that were read. `last` is the page's last row; undefined if no page follows. */
export function cut<Row>(rows: Row[], size: number): { rows: Row[]; last: Row | undefined } {
  const page = rows.slice(0, size);
  return { rows: page, last: rows.length > size ? page.at(-1) : undefined };
}
