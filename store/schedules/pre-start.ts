import { type RawBuilder, sql } from 'kysely';

/**
 * How far ahead of their time these policies allow firings to be handed over, in milliseconds; null if the policy
 * `preStart` is no duration.
 */
export function preStartOf(policies: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when jsonb_typeof(${policies} -> 'preStart') = 'number' then (${policies} ->> 'preStart')::float8::int end`;
}
