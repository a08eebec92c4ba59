import { type RawBuilder, sql } from 'kysely';

/** Whether a column contains a text, ignoring upper and lower case. */
export function contains(column: RawBuilder<unknown>, text: string): RawBuilder<unknown> {
  return sql`strpos(lower(${column}), lower(${text})) > 0`;
}

export function and(conditions: RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql.join(conditions, sql` and `);
}
