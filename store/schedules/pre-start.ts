import { type RawBuilder, sql } from 'kysely';

/** How far ahead these policies let a schedule be handed over, in milliseconds; null where they leave it to the trigger. */
export function preStartOf(policies: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when jsonb_typeof(${policies} -> 'preStart') = 'number' then (${policies} ->> 'preStart')::float8::int end`;
}
