import { type RawBuilder, sql } from 'kysely';
import type { AlertRules } from '../core/alert-rules';

export function contains(column: RawBuilder<unknown>, text: string): RawBuilder<unknown> {
  return sql`strpos(lower(${column}), lower(${text})) > 0`;
}

export function and(conditions: RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql.join(conditions, sql` and `);
}

/** In milliseconds, some 3,000 years: Postgres can add it to the present and subtract it. */
export const LONGEST_AMOUNT = 1e14;

/**
 * The number in the field, raised to 1 or lowered to `atMost` if it is out of this range. Null if the field contains no
 * number, so that one damaged definition does not make a statement about others fail.
 *
 * @param atMost in milliseconds. @default {@link LONGEST_AMOUNT}
 */
export function amountIn(
  json: RawBuilder<unknown>,
  field: keyof AlertRules | 'parkedAtMost' | 'catchupWindow' | 'staleAfterMilliseconds',
  atMost = LONGEST_AMOUNT,
): RawBuilder<number | null> {
  return sql`(case when jsonb_typeof(${json} -> ${sql.lit(field)}) = 'number'
    then least(greatest((${json} ->> ${sql.lit(field)})::numeric, 1), ${sql.lit(atMost)})::float8 end)`;
}

/** The value if it is an object, or else an empty object. */
export function objectOf(json: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(case jsonb_typeof(${json}) when 'object' then ${json} else '{}' end)`;
}

/** The value if it is an array, or else an empty array. */
export function arrayOf(json: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(case jsonb_typeof(${json}) when 'array' then ${json} else '[]' end)`;
}

/** Whether the field `places` names for each namespace a place in its list, as a text, or true for the whole list. */
export function arePlaces(json: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`(jsonb_typeof(${json} -> 'places') is not distinct from 'object'
    and not jsonb_path_exists(${json}, '$.places.* ? (@.type() != "string" && @.type() != "boolean" || @ == false)'))`;
}

/** The dates of the years 1000 to 9999, but 29 February only of leap years that do not end in 00. */
const DATE =
  '([1-9][0-9]{3}-((0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)|[1-9][0-9](0[48]|[2468][048]|[13579][26])-02-29)';
const TIME = '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]+)?';
/** An instant as `toISOString` and Postgres write it. */
const INSTANT = `^${DATE}T${TIME}(Z|[+-](0[0-9]|1[0-5]):[0-5][0-9](:[0-5][0-9])?)$`;

/**
 * The instant in the field. Null if the field contains none. With a plain cast, one damaged row would make a statement
 * about all rows fail.
 */
export function instantIn(json: RawBuilder<unknown>, field: InstantField): RawBuilder<Date | null> {
  const text = sql`(${json} ->> ${sql.lit(field)})`;
  return sql`(case when ${text} ~ ${sql.lit(INSTANT)} then ${text}::timestamptz end)`;
}

type InstantField =
  | ('lookAt' | 'takenAt' | 'carriedOutAt' | 'failedAt' | 'recoveredAt' | 'closedAt')
  | ('readTo' | 'at' | 'before' | 'since' | 'begunAt' | 'againAt' | 'listedAt' | 'listedTo' | 'lateListDueAt')
  | ('openUntil' | 'endedAt');

/** The number in the field as `numeric`: it may be too large for another type. Null if the field contains no number. */
export function numberIn(
  json: RawBuilder<unknown>,
  field: 'maxConcurrent' | 'perSecond' | 'eventId' | 'revision' | 'writes',
): RawBuilder<number | null> {
  return sql`(case when jsonb_typeof(${json} -> ${sql.lit(field)}) = 'number' then (${json} ->> ${sql.lit(field)})::numeric end)`;
}
