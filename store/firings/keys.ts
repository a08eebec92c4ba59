import { sql } from 'kysely';
import type { FiringKey, FiringState } from '../../core/firing';

export function keysTable(keys: FiringKey[]) {
  return sql`unnest(${keys.map((key) => key.scheduleId)}::text[],
    ${keys.map((key) => key.scheduledTime)}::timestamptz[]) as x (schedule_id, scheduled_time)`;
}

/**
 * True for rows `f` in the months of these keys and in one of these states, or in any state if none is given. A
 * statement adds this condition to its condition on keys, so that Postgres opens only the partitions from the first of
 * these months to the last. Whole months, `all(…)` and `case` keep the planner from expecting no row or one row.
 * Otherwise the planner may read a whole burst of firings for each key, or compare every row of the month with every
 * key.
 */
export function inMonthsOf(keys: FiringKey[], ...states: FiringState[]) {
  if (keys.length === 0) return sql`false`;
  const times = keys.map((key) => key.scheduledTime.getTime()).sort((one, other) => one - other);
  const [first, last] = [new Date(times[0]!), new Date(times.at(-1)!)];
  const from = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth()));
  const until = new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth() + 1));
  const months = sql`f.scheduled_time >= all(array[${from}::timestamptz]) and f.scheduled_time < all(array[${until}::timestamptz])`;
  if (states.length === 0) return months;
  return sql`${months} and case when f.state in (${sql.join(states.map((state) => sql.lit(state)))}) then true end`;
}

/**
 * True for rows `f` in this state, among those found by their keys. The form of the condition matches no index on open
 * firings. With statistics from before a burst, the planner may assume that an index on open firings is empty, and read
 * it in full for each batch of keys.
 */
export function inState(state: FiringState) {
  return sql`f.state || '' = ${sql.lit(state)}`;
}
