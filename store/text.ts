import { type RawBuilder, sql } from 'kysely';
import type { AlertRules } from '../core/alert-rules';

export function contains(column: RawBuilder<unknown>, text: string): RawBuilder<unknown> {
  return sql`strpos(lower(${column}), lower(${text})) > 0`;
}

export function and(conditions: RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql.join(conditions, sql` and `);
}

/**
 * The number in the field, or the nearest from 1 to `atMost`. Null if the field contains no number, so that one damaged
 * definition stops no statement about others.
 *
 * @param atMost @default 10^15: a greater number is out of range as a time
 */
export function amountIn(
  json: RawBuilder<unknown>,
  field: keyof AlertRules | 'parkedAtMost' | 'catchupWindow',
  atMost = 1e15,
): RawBuilder<number | null> {
  return sql`(case when jsonb_typeof(${json} -> ${sql.lit(field)}) = 'number'
    then least(greatest((${json} ->> ${sql.lit(field)})::numeric, 1), ${sql.lit(atMost)})::float8 end)`;
}

/** The object, or an empty one if the value is none. */
export function objectOf(json: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(case jsonb_typeof(${json}) when 'object' then ${json} else '{}' end)`;
}

/** The number in the field as `numeric`: it may be too large for another type. Null if the field contains no number. */
export function numberIn(json: RawBuilder<unknown>, field: 'maxConcurrent' | 'perSecond'): RawBuilder<number | null> {
  return sql`(case when jsonb_typeof(${json} -> ${sql.lit(field)}) = 'number' then (${json} ->> ${sql.lit(field)})::numeric end)`;
}
