import { didYouMean } from '../closest';
import { parseInstant } from '../occurrences/read';
import { show } from '../occurrences/show';
import { isInstant } from '../option-fields';
import { InvalidQueryError } from './error';
import { COLUMNS, type ColumnName, type ColumnType, SCHEDULE_STATES, TEMPORAL_NAMES } from './fields';
import { type Operator, type Predicate, parseQuery, type Query, type WrittenField, type WrittenValue } from './parse';

export type ListField = { column: ColumnName } | { attribute: string };
/** A value that has the type of its field; a time is a Date. A search attribute may have a value of any type. */
export type ListValue = string | number | boolean | Date;
export type ListQuery = Query<ListField, ListValue>;

/** A checked list filter, with the place at which it first names each search attribute. */
export interface ResolvedQuery {
  condition: ListQuery;
  attributes: Map<string, number>;
}

const WHOLE: readonly Operator[] = ['=', '!='];

/**
 * Parse a list filter and check its fields and values; undefined for an empty filter. Whether a search attribute exists
 * is checked later, since only the ledger knows it.
 *
 * @throws {InvalidQueryError} with the position of the error
 */
export function resolveQuery(text: string): ResolvedQuery | undefined {
  const written = parseQuery(text);
  if (written === undefined) return undefined;
  const resolver = new Resolver(text);
  return { condition: resolver.query(written), attributes: resolver.attributes };
}

class Resolver {
  readonly attributes = new Map<string, number>();

  constructor(private readonly text: string) {}

  query(query: Query<WrittenField, WrittenValue>): ListQuery {
    if (query.kind === 'not') return { kind: 'not', of: this.query(query.of) };
    if (query.kind === 'all' || query.kind === 'any') {
      return { kind: query.kind, of: query.of.map((one) => this.query(one)) };
    }
    const field = this.#field(query.field);
    return 'column' in field ? this.#ofColumn(query, field, COLUMNS[field.column]) : this.#ofAttribute(query, field);
  }

  #field({ name, isQuoted, position }: WrittenField): ListField {
    if (!isQuoted && Object.hasOwn(COLUMNS, name)) return { column: name as ColumnName };
    if (!isQuoted && Object.hasOwn(TEMPORAL_NAMES, name)) return { column: TEMPORAL_NAMES[name]! };
    if (name === '') this.#refuse(position, 'the name is empty');
    if (!this.attributes.has(name)) this.attributes.set(name, position);
    return { attribute: name };
  }

  #ofColumn(predicate: Predicate<WrittenField, WrittenValue>, field: ListField, type: ColumnType): ListQuery {
    const { name, position } = predicate.field;
    const isWhole = type === 'name' || type === 'state' || type === 'boolean';
    const asked = operatorOf(predicate);
    if (isWhole && !['=', '!=', 'IN', 'IS NULL'].includes(asked)) {
      this.#refuse(position, `${name} supports only =, !=, IN and IS NULL, not ${asked}`);
    }
    if (predicate.kind === 'startsWith' && type !== 'text') this.#refuse(position, `${name} is not a text`);
    return withParts(predicate, field, (value) => this.#typed(name, type, value));
  }

  #typed(name: string, type: ColumnType, { value, position }: WrittenValue): ListValue {
    if (type === 'number' && typeof value === 'number') return value;
    if (type === 'boolean' && typeof value === 'boolean') return value;
    if ((type === 'text' || type === 'name') && typeof value === 'string') return value;
    if (type === 'time') {
      const time = this.#instant({ value, position });
      if (time !== undefined) return new Date(time);
      return this.#refuse(position, `${show(value)} is not a time; "2026-11-20T02:00:00Z" is`);
    }
    if (type === 'state') {
      if ((SCHEDULE_STATES as readonly unknown[]).includes(value)) return value;
      const hint = didYouMean(String(value), SCHEDULE_STATES);
      return this.#refuse(position, `${show(value)} is no state; ${SCHEDULE_STATES.join(', ')} are${hint}`);
    }
    const needed = { number: 'a number', boolean: 'true or false', text: 'a text', name: 'a text' }[type];
    return this.#refuse(position, `${name} is compared with ${needed}, not with ${show(value)}`);
  }

  /** Checks the values without their attribute's type, which is unknown, and may differ between schedules. */
  #ofAttribute(predicate: Predicate<WrittenField, WrittenValue>, field: ListField): ListQuery {
    const values = valuesOf(predicate);
    const { name } = predicate.field;
    for (const { value, position } of values) {
      this.#instant({ value, position });
      if (typeof value === 'boolean' && !['=', '!=', 'IN'].includes(operatorOf(predicate))) {
        this.#refuse(position, `true and false are compared only by ${WHOLE.join(', ')} and IN`);
      }
      if (predicate.kind === 'startsWith' && typeof value !== 'string') {
        this.#refuse(position, `${name} starts with a text, not with ${show(value)}`);
      }
      if (predicate.kind === 'between' && typeof value !== typeof predicate.from.value) {
        this.#refuse(position, 'both ends of BETWEEN must have the same type');
      }
    }
    return withParts(predicate, field, ({ value }) => value);
  }

  /**
   * The instant that a text gives, in epoch milliseconds; undefined for any other value. An instant outside the years 1
   * to 9999 is refused.
   */
  #instant({ value, position }: WrittenValue): number | undefined {
    const time = parseInstant(value);
    if (Number.isNaN(time)) return undefined;
    if (!isInstant(time)) this.#refuse(position, `${show(value)} is not in the years 1 to 9999`);
    return time;
  }

  #refuse(position: number, problem: string): never {
    throw new InvalidQueryError(this.text, position, problem);
  }
}

function operatorOf(predicate: Predicate<unknown, unknown>): string {
  if (predicate.kind === 'compare') return predicate.operator;
  return { in: 'IN', between: 'BETWEEN', startsWith: 'STARTS_WITH', isNull: 'IS NULL' }[predicate.kind];
}

function valuesOf<Value>(predicate: Predicate<unknown, Value>): Value[] {
  if (predicate.kind === 'in') return predicate.values;
  if (predicate.kind === 'between') return [predicate.from, predicate.to];
  return predicate.kind === 'isNull' ? [] : [predicate.value];
}

function withParts(
  predicate: Predicate<unknown, WrittenValue>,
  field: ListField,
  typed: (value: WrittenValue) => ListValue,
): ListQuery {
  switch (predicate.kind) {
    case 'compare':
    case 'startsWith':
      return { ...predicate, field, value: typed(predicate.value) };
    case 'in':
      return { ...predicate, field, values: predicate.values.map(typed) };
    case 'between':
      return { ...predicate, field, from: typed(predicate.from), to: typed(predicate.to) };
    case 'isNull':
      return { ...predicate, field };
  }
}

/** Replaces the values of one column's comparisons and IN lists. */
export function mapColumn(query: ListQuery, column: ColumnName, to: (value: ListValue) => ListValue): ListQuery {
  if (query.kind === 'not') return { kind: 'not', of: mapColumn(query.of, column, to) };
  if (query.kind === 'all' || query.kind === 'any') {
    return { kind: query.kind, of: query.of.map((one) => mapColumn(one, column, to)) };
  }
  if (!('column' in query.field) || query.field.column !== column) return query;
  return withValues(query, to);
}

function withValues(query: Predicate<ListField, ListValue>, to: (value: ListValue) => ListValue): ListQuery {
  if (query.kind === 'compare') return { ...query, value: to(query.value) };
  return query.kind === 'in' ? { ...query, values: query.values.map(to) } : query;
}
