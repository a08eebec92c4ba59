import { type RawBuilder, sql } from 'kysely';

export function contains(column: RawBuilder<unknown>, text: string): RawBuilder<unknown> {
  return sql`strpos(lower(${column}), lower(${text})) > 0`;
}

export function and(conditions: RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql.join(conditions, sql` and `);
}

/** The number in the field as `numeric`: it may be too large for another type. Null if the field contains no number. */
export function numberIn(json: RawBuilder<unknown>, field: 'maxConcurrent' | 'perSecond'): RawBuilder<number | null> {
  return sql`(case when jsonb_typeof(${json} -> ${sql.lit(field)}) = 'number' then (${json} ->> ${sql.lit(field)})::numeric end)`;
}
