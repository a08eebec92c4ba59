import type {
  Payload,
  SearchAttributePair,
  SearchAttributes,
  SearchAttributeType,
  TypedSearchAttributes,
} from '@temporalio/common';
import { InvalidScheduleError } from '../errors';
import { show } from '../occurrences/show';
import { isInstant } from '../option-fields';
import { isStorable } from '../storable';

/** A search attribute in stored form. The stored form is plain JSON, since Temporal indexes it unencoded. */
export interface StoredSearchAttribute {
  /**
   * The server's name of the type, such as `KeywordList`; if absent, the server uses the type that it has registered.
   */
  type?: string;
  /** The value; dates are texts in ISO 8601. */
  value: unknown;
}

export type StoredSearchAttributes = Record<string, StoredSearchAttribute>;

const SERVER_TYPES: Record<SearchAttributeType, string> = {
  TEXT: 'Text',
  KEYWORD: 'Keyword',
  INT: 'Int',
  DOUBLE: 'Double',
  BOOL: 'Bool',
  DATETIME: 'Datetime',
  KEYWORD_LIST: 'KeywordList',
};

/** The server's default limits for search attributes. */
const MOST_ATTRIBUTES = 100;
const MOST_VALUE_BYTES = 2 * 1024;
const MOST_TOTAL_BYTES = 40 * 1024;

/** Names of search attributes that Escapement and Temporal's own Schedules set on workflows that they start. */
const OURS = ['TemporalScheduledById', 'TemporalScheduledStartTime'];

/**
 * A search attribute option in both of Temporal's forms. If both forms contain a name, the typed form takes precedence,
 * as in Temporal.
 */
export interface SearchAttributeOptions {
  searchAttributes?: unknown;
  typedSearchAttributes?: unknown;
}

/**
 * Search attributes in their stored form; undefined if neither form is given.
 *
 * @param parent path of the object that has them, such as `action`; empty for the schedule itself
 * @throws {InvalidScheduleError} with the path of the bad attribute
 */
export function parseSearchAttributes(
  parent: string,
  { searchAttributes, typedSearchAttributes }: SearchAttributeOptions,
): StoredSearchAttributes | undefined {
  if (searchAttributes === undefined && typedSearchAttributes === undefined) return undefined;
  const at = (field: string) => (parent === '' ? field : `${parent}.${field}`);
  const parsed = {
    ...parseUntyped(at('searchAttributes'), searchAttributes),
    ...parseTyped(at('typedSearchAttributes'), typedSearchAttributes),
  };
  checkLimits(parent, at(typedSearchAttributes === undefined ? 'searchAttributes' : 'typedSearchAttributes'), parsed);
  return parsed;
}

/** @throws {InvalidScheduleError} at `field` for more attributes, or more bytes of them, than Temporal takes */
export function checkLimits(parent: string, field: string, parsed: StoredSearchAttributes): void {
  const names = Object.keys(parsed);
  // An action's attributes are sent with its workflows, together with the attributes that Escapement sets.
  const most = parent === 'action' ? MOST_ATTRIBUTES - OURS.length : MOST_ATTRIBUTES;
  if (names.length > most) {
    const besides = parent === 'action' ? `, with the ${OURS.length} that Escapement adds` : '';
    const problem = `has ${names.length} attributes; at most ${most}: Temporal takes ${MOST_ATTRIBUTES}${besides}`;
    throw new InvalidScheduleError(field, problem);
  }
  const bytes = Object.entries(parsed).map(([name, { value }]) => Buffer.byteLength(name + JSON.stringify(value)));
  const total = bytes.reduce((sum, size) => sum + size, 0);
  if (total > MOST_TOTAL_BYTES) {
    throw new InvalidScheduleError(field, `has ${total} bytes; Temporal takes at most ${MOST_TOTAL_BYTES}`);
  }
}

function parseUntyped(path: string, given: unknown): StoredSearchAttributes {
  if (given === undefined || given === null) return {};
  if (typeof given !== 'object' || Array.isArray(given)) {
    throw new InvalidScheduleError(path, `${show(given)} is not an object of lists by name`);
  }
  const parsed: StoredSearchAttributes = {};
  for (const [name, values] of Object.entries(given as SearchAttributes)) {
    const at = `${path}.${name}`;
    checkName(at, name);
    if (values === undefined) continue;
    if (!Array.isArray(values)) throw new InvalidScheduleError(at, `${show(values)} is not a list`);
    // The copy of a list has undefined where the list has a hole; `every` skips holes.
    const items: unknown[] = [...values];
    const [first] = items;
    const areDates = first instanceof Date;
    const isAlike = (value: unknown) => (areDates ? isDate(value) : isPlain(value) && typeof value === typeof first);
    if (!items.every(isAlike)) {
      throw new InvalidScheduleError(at, 'is not a list of texts, of numbers, of booleans or of dates');
    }
    parsed[name] = checkValue(at, areDates ? untypedDates(items as Date[]) : { value: items });
  }
  return parsed;
}

/** An untyped attribute with dates, in stored form: its type is `Datetime`, since no other type accepts dates. */
function untypedDates(dates: Date[]): StoredSearchAttribute {
  const texts = dates.map((date) => date.toISOString());
  return { type: SERVER_TYPES.DATETIME, value: texts.length === 1 ? texts[0] : texts };
}

function parseTyped(path: string, given: unknown): StoredSearchAttributes {
  if (given === undefined || given === null) return {};
  const pairs = pairsOf(given);
  if (!Array.isArray(pairs)) {
    throw new InvalidScheduleError(path, `${show(given)} is neither TypedSearchAttributes nor a list of pairs`);
  }
  const parsed: StoredSearchAttributes = {};
  for (const [index, pair] of (pairs as SearchAttributePair[]).entries()) {
    const { name, type } = pair?.key ?? {};
    if (typeof name !== 'string')
      throw new InvalidScheduleError(`${path}.${index}`, 'is not a pair of a key and a value');
    const at = `${path}.${name}`;
    checkName(at, name);
    if (!Object.hasOwn(SERVER_TYPES, type)) {
      throw new InvalidScheduleError(at, `${show(type)} is no type; ${Object.keys(SERVER_TYPES).join(', ')} are`);
    }
    const typed = type === 'DATETIME' ? reviveDate(pair.value) : pair.value;
    if (!isOfType(type, typed)) throw new InvalidScheduleError(at, `${show(pair.value)} is no ${type}`);
    const value = typed instanceof Date ? typed.toISOString() : typed;
    parsed[name] = checkValue(at, { type: SERVER_TYPES[type], value });
  }
  return parsed;
}

const ISO_8601 = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** JSON has no dates, so a description that went through JSON contains dates as texts. */
function reviveDate(value: unknown): unknown {
  const day = typeof value === 'string' ? ISO_8601.exec(value)?.[1] : undefined;
  // `Date.parse` reads February 30th as a day in March.
  const midnight = new Date(`${day}T00:00:00Z`);
  return isDate(midnight) && midnight.toISOString().startsWith(day!) ? new Date(value as string) : value;
}

/**
 * The pairs of typed search attributes. `TypedSearchAttributes` are recognised by a method, since the class may come from
 * another copy of the SDK. Anything else is returned as it is.
 */
export function pairsOf(typed: NonNullable<unknown>): unknown {
  const { getAll } = typed as TypedSearchAttributes;
  return typeof getAll === 'function' ? getAll.call(typed) : typed;
}

function isOfType(type: SearchAttributeType, value: unknown): boolean {
  switch (type) {
    case 'TEXT':
    case 'KEYWORD':
      return typeof value === 'string';
    case 'INT':
      return Number.isInteger(value);
    case 'DOUBLE':
      return Number.isFinite(value);
    case 'BOOL':
      return typeof value === 'boolean';
    case 'DATETIME':
      return isDate(value);
    case 'KEYWORD_LIST':
      return Array.isArray(value) && [...value].every((item) => typeof item === 'string');
  }
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/** Whether a value is a date that Postgres supports too, since a list filter compares it there. */
function isDate(value: unknown): boolean {
  return value instanceof Date && isInstant(value.getTime());
}

function checkName(path: string, name: string): void {
  if (OURS.includes(name)) throw new InvalidScheduleError(path, 'is set by Escapement itself');
  // An assignment to `__proto__` sets no field, so the attribute would be lost.
  if (name === '' || name === '__proto__' || !isStorable(name))
    throw new InvalidScheduleError(path, 'is not a name of a search attribute');
}

function checkValue(path: string, attribute: StoredSearchAttribute): StoredSearchAttribute {
  // Each text is checked by itself: if they were joined, two halves of a surrogate pair could look like a whole pair.
  const texts = [attribute.value].flat().map(String);
  if (!texts.every(isStorable)) throw new InvalidScheduleError(path, 'has characters that cannot be stored');
  const bytes = Buffer.byteLength(JSON.stringify(attribute.value));
  if (bytes <= MOST_VALUE_BYTES) return attribute;
  throw new InvalidScheduleError(path, `has ${bytes} bytes; Temporal takes at most ${MOST_VALUE_BYTES}`);
}

/**
 * Encodes search attributes as Temporal's own client does: always as JSON, never with the user's converter or codec.
 */
export function searchAttributePayloads(attributes: StoredSearchAttributes | undefined): Record<string, Payload> {
  return Object.fromEntries(
    Object.entries(attributes ?? {}).map(([name, { type, value }]) => [
      name,
      {
        metadata: { encoding: Buffer.from('json/plain'), ...(type === undefined ? {} : { type: Buffer.from(type) }) },
        data: Buffer.from(JSON.stringify(value)),
      },
    ]),
  );
}
