import { sql } from 'kysely';
import type { Store } from './connection';

/** What has ended long ago, in one statement of a batch. */
export const FORGOTTEN_AT_ONCE = 1_000;

/**
 * Delete a batch of settled letters of retired months that nobody has changed since `before`.
 *
 * @returns how many
 */
export async function deleteSettledLetters(store: Store, floor: Date, before: Date): Promise<number> {
  const letters = store.table('dead_letters');
  // A letter is written before it changes: the index of states has them by that time.
  const { numAffectedRows = 0n } = await sql`delete from ${letters} where letter_id in (
      select letter_id from ${letters} where state in ('resolved', 'discarded') and created_at < ${before}
        and updated_at < ${before} and scheduled_time < ${floor} limit ${FORGOTTEN_AT_ONCE} for update skip locked)
      and state in ('resolved', 'discarded')`.execute(store.db);
  return Number(numAffectedRows);
}

/**
 * Delete a batch of leases that ended a day ago. The next token is greater nevertheless, since it is not below the clock.
 *
 * @returns how many
 */
export async function deleteEndedLeases(store: Store): Promise<number> {
  const leases = store.table('leases');
  const { numAffectedRows = 0n } = await sql`delete from ${leases} where resource in (
      select resource from ${leases} where expires_at < clock_timestamp() - interval '1 day'
      limit ${FORGOTTEN_AT_ONCE} for update skip locked)
      and expires_at < clock_timestamp() - interval '1 day'`.execute(store.db);
  return Number(numAffectedRows);
}

/** Whether Postgres said that this role may not. */
export function isNotAllowed(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === '42501';
}
