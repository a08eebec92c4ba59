import { sql } from 'kysely';
import type { FiringKey, FiringState } from '../../core/firing';

/** The keys as a table `x (schedule_id, scheduled_time)`. */
export function keysTable(keys: FiringKey[]) {
  return sql`unnest(${keys.map((key) => key.scheduleId)}::text[],
    ${keys.map((key) => key.scheduledTime)}::timestamptz[]) as x (schedule_id, scheduled_time)`;
}

/**
 * True for the rows `f` with these keys, in one of these states. The condition comes in addition to the keys, so that
 * no month without any of them is opened. The condition names whole months. For an instant newer than the statistics,
 * the planner expects no rows, and would read a whole stampede for each key. A month has no statistics at all before
 * its first 20,000 rows. With `all(…)` and `case` the planner expects a part of its rows anyway. If it expected
 * one row, it would compare every row of the month with every key.
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
 * True for rows `f` in this state, among those found by their keys. The condition is written so that no index on open
 * firings matches. If the statistics are older than a burst, the planner takes such an index for empty, and reads all
 * of it for each batch of keys.
 */
export function inState(state: FiringState) {
  return sql`f.state || '' = ${sql.lit(state)}`;
}
