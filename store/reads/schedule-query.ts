import { type RawBuilder, sql } from 'kysely';
import type { ColumnName, ColumnType } from '../../core/list-query/fields';
import { COLUMNS } from '../../core/list-query/fields';
import type { Operator, Predicate } from '../../core/list-query/parse';
import type { ListField, ListQuery, ListValue } from '../../core/list-query/resolve';
import { parseInstant } from '../../core/occurrences/read';
import type { Store } from '../connection';
import { isCompleted } from '../schedules/schedule-completed';

type Sql = RawBuilder<unknown>;

/** The table that a condition reads: a schedule `s`, its timer `t`, or its current version `v`. */
export type Side = 's' | 't' | 'v';

export interface QueryPart {
  condition: Sql;
  sides: Set<Side>;
}

const OPERATORS: Record<Exclude<Operator, '!='>, Sql> = {
  '=': sql`=`,
  '<': sql`<`,
  '<=': sql`<=`,
  '>': sql`>`,
  '>=': sql`>=`,
};

const TYPES: Record<ColumnType, Sql> = {
  text: sql`text`,
  name: sql`text`,
  state: sql`text`,
  boolean: sql`boolean`,
  number: sql`numeric`,
  time: sql`timestamptz`,
};

/** The parts of a list filter; all parts must hold. A part that is null does not hold. */
export function queryParts(store: Store, query: ListQuery): QueryPart[] {
  const parts = query.kind === 'all' ? query.of : [query];
  return parts.map((part) => {
    const sides = sidesOf(part);
    // A part that reads only the version can use the version's own index. Any other part looks the version up from its
    // schedule.
    const compiler = new Compiler(store, sides.size === 1);
    return { condition: compiler.condition(part), sides };
  });
}

function sidesOf(query: ListQuery): Set<Side> {
  if (query.kind === 'not') return sidesOf(query.of);
  if (query.kind === 'all' || query.kind === 'any') return new Set(query.of.flatMap((one) => [...sidesOf(one)]));
  const { field } = query;
  return new Set('column' in field ? SIDES[field.column] : ['s']);
}

const SIDES: Record<ColumnName, Side[]> = {
  scheduleId: ['s'],
  namespace: ['v'],
  tenant: ['s'],
  source: ['s'],
  owner: ['s'],
  externalId: ['s'],
  taskQueue: ['v'],
  workflowType: ['v'],
  overlap: ['v'],
  note: ['s'],
  state: ['s', 't'],
  paused: ['s'],
  completed: ['s', 't'],
  nextFireAt: ['t'],
  lastFireAt: ['t'],
  createdAt: ['s'],
  lastUpdatedAt: ['s'],
  remainingActions: ['t'],
  version: ['s'],
};

class Compiler {
  constructor(
    private readonly store: Store,
    private readonly isAlone: boolean,
  ) {}

  /** @param isNegated whether the query is below a `not`, where null must become false */
  condition(query: ListQuery, isNegated = false): Sql {
    if (query.kind === 'not') return sql`not ${this.condition(query.of, true)}`;
    if (query.kind === 'all' || query.kind === 'any') {
      const word = query.kind === 'all' ? sql` and ` : sql` or `;
      return sql`(${sql.join(
        query.of.map((one) => this.condition(one, isNegated)),
        word,
      )})`;
    }
    if (query.kind === 'compare' && query.operator === '!=') {
      return sql`not ${this.condition({ ...query, operator: '=' }, true)}`;
    }
    const { field } = query;
    if ('attribute' in field) return attributeMatches(query, field.attribute);
    // A schedule without a tenant has an empty one.
    if (query.kind === 'isNull' && field.column === 'tenant') return sql`s.tenant = ''`;
    const type = COLUMNS[field.column];
    const column = this.#column(field.column);
    const asSql = (value: ListValue) => sql`${bound(value)}::${TYPES[type]}`;
    const isEqual = query.kind === 'in' || (query.kind === 'compare' && query.operator === '=');
    // Postgres uses an index for an equality only without `coalesce` and `collate`, and the index on paused schedules
    // only if `paused` is not compared with a value.
    if (isEqual && !isNegated) {
      if (query.kind === 'compare' && typeof query.value === 'boolean')
        return query.value ? column : sql`not ${column}`;
      return matches(query, column, asSql);
    }
    return sql`coalesce(${matches(query, type === 'text' ? sql`${column} collate "C"` : column, asSql)}, false)`;
  }

  #column(name: ColumnName): Sql {
    switch (name) {
      case 'scheduleId':
        return sql`s.schedule_id`;
      case 'tenant':
        return sql`s.tenant`;
      case 'source':
        return sql`s.source`;
      case 'owner':
        return sql`s.owner`;
      case 'externalId':
        return sql`s.external_id`;
      case 'note':
        return sql`s.note`;
      case 'paused':
        return sql`s.paused`;
      case 'version':
        return sql`s.version`;
      case 'createdAt':
        return sql`s.created_at`;
      case 'lastUpdatedAt':
        return sql`s.updated_at`;
      case 'nextFireAt':
        return sql`t.next_fire_at`;
      case 'lastFireAt':
        return sql`t.last_fire_at`;
      case 'remainingActions':
        return sql`t.remaining_actions`;
      case 'completed':
        return isCompleted(this.store);
      case 'state':
        return sql`(case when s.spec_error is not null then 'set aside' when s.paused then 'paused'
          when ${isCompleted(this.store)} then 'completed' else 'live' end)`;
      case 'namespace':
        return this.#ofVersion(sql`v.namespace`);
      case 'taskQueue':
        return this.#ofVersion(sql`v.action ->> 'taskQueue'`);
      case 'workflowType':
        return this.#ofVersion(sql`v.action ->> 'workflowType'`);
      case 'overlap':
        return this.#ofVersion(sql`v.policies ->> 'overlap'`);
    }
  }

  #ofVersion(column: Sql): Sql {
    if (this.isAlone) return sql`(${column})`;
    return sql`(select ${column} from ${this.store.table('schedule_versions')} v
      where v.schedule_id = s.schedule_id and v.version = s.version)`;
  }
}

/** The condition on one column or attribute. The condition may be null. */
function matches(query: Predicate<ListField, ListValue>, value: Sql, asSql: (value: ListValue) => Sql): Sql {
  switch (query.kind) {
    case 'compare':
      return sql`${value} ${OPERATORS[query.operator as '=']} ${asSql(query.value)}`;
    case 'in':
      return sql`${value} in (${sql.join(query.values.map(asSql))})`;
    case 'between':
      return sql`${value} between ${asSql(query.from)} and ${asSql(query.to)}`;
    case 'startsWith':
      return sql`starts_with(${value}, ${asSql(query.value)})`;
    case 'isNull':
      return sql`${value} is null`;
  }
}

/**
 * If the attribute has a list of values, one of the values must match. A value of another type than the filter's does
 * not match.
 */
function attributeMatches(query: Predicate<ListField, ListValue>, name: string): Sql {
  const attribute = sql`s.search_attributes -> ${name}::text`;
  const values = sql`coalesce(${attribute} -> 'value', '[]')`;
  if (query.kind === 'isNull') return sql`(${values} in ('[]', 'null'))`;
  const list = sql`case jsonb_typeof(${values}) when 'array' then ${values} else jsonb_build_array(${values}) end`;
  const asked = query.kind === 'in' ? query.values.map((value) => ({ ...query, values: [value] })) : [query];
  const conditions = asked.map((one) => itemMatches(one, sql`coalesce(${attribute} ->> 'type', '')`));
  const matching = sql`exists (select from jsonb_array_elements(${list}) item where ${sql.join(conditions, sql` or `)})`;
  return sql`(${sql.join([...impliedBy(query, name), matching], sql` and `)})`;
}

/**
 * Conditions that are true for every schedule whose search attribute matches, and that an index can check. Only the
 * equality of values other than times gives a condition on the value: a time can be written in many ways. Otherwise the
 * only condition is that the attribute exists.
 */
function impliedBy(query: Predicate<ListField, ListValue>, name: string): Sql[] {
  const isThere = sql`s.search_attributes ? ${name}::text`;
  const asked =
    query.kind === 'in' ? query.values : query.kind === 'compare' && query.operator === '=' ? [query.value] : [];
  const areTimes = asked.some((value) => typeof value === 'string' && !Number.isNaN(parseInstant(value)));
  if (asked.length === 0 || areTimes) return [isThere];
  // The attribute matches if it is a list that contains the value, or the value alone.
  const shapes = asked.flatMap((value) => [[value], value]).map((value) => JSON.stringify({ [name]: { value } }));
  const contained = shapes.map((shape) => sql`s.search_attributes @> ${shape}::jsonb`);
  return [isThere, sql`(${sql.join(contained, sql` or `)})`];
}

function itemMatches(query: Predicate<ListField, ListValue>, type: Sql): Sql {
  const example = exampleOf(query);
  const text = sql`(item #>> '{}')`;
  if (typeof example === 'number') {
    const asNumber = (value: ListValue) => sql`${bound(value)}::numeric`;
    return sql`case when jsonb_typeof(item) = 'number' then ${matches(query, sql`${text}::numeric`, asNumber)} else false end`;
  }
  if (typeof example === 'boolean') {
    return matches(query, sql`item`, (value) => sql`to_jsonb(${value}::boolean)`);
  }
  const asText = matches(query, sql`${text} collate "C"`, (value) => sql`${bound(value)}::text`);
  const asTime = sql`case when ${text} ~ ${TIME} then ${timeMatches(query, instantOf(text))} else false end`;
  return sql`case when jsonb_typeof(item) <> 'string' then false when ${type} = 'Datetime' then ${asTime} else ${asText} end`;
}

/**
 * A time of a search attribute, as far as a regular expression can check it. An imported attribute may have any text,
 * and a text that cannot be cast would make the statement fail for all schedules.
 */
const TIME = sql.raw(
  `'^(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|[+-](0[0-9]|1[0-5]):[0-5][0-9])$'`,
);

/** The instant of a text that matches {@link TIME}. The days are added, since February 30th cannot be cast. */
function instantOf(text: Sql): Sql {
  const month = sql`(left(${text}, 8) || '01' || substr(${text}, 11))::timestamptz`;
  return sql`(${month} + (substr(${text}, 9, 2)::int - 1) * interval '24 hours')`;
}

/** A text that is no time does not match any time of a search attribute. */
function timeMatches(query: Predicate<ListField, ListValue>, time: Sql): Sql {
  const values = query.kind === 'between' ? [query.from, query.to] : [exampleOf(query)];
  if (query.kind === 'startsWith' || values.some((value) => Number.isNaN(parseInstant(value)))) return sql`false`;
  return matches(query, time, (value) => sql`${new Date(parseInstant(value))}::timestamptz`);
}

function exampleOf(query: Predicate<ListField, ListValue>): ListValue | undefined {
  if (query.kind === 'in') return query.values[0];
  if (query.kind === 'between') return query.from;
  return query.kind === 'isNull' ? undefined : query.value;
}

function bound(value: ListValue): string | Date | boolean {
  return typeof value === 'number' ? String(value) : value;
}
