import { sql } from 'kysely';
import type { Store } from '../connection';
import { FORGOTTEN_AT_ONCE } from '../firings/forget';

/**
 * Delete a page of the messages that were written before an instant. What was not delivered by then never will be.
 *
 * @returns how many
 */
export async function deleteMessages(store: Store, before: Date): Promise<number> {
  const messages = store.table('alert_messages');
  const { numAffectedRows = 0n } = await sql`delete from ${messages} where ctid = any (array(
    select ctid from ${messages} where created_at < ${before} order by created_at limit ${FORGOTTEN_AT_ONCE} for update skip locked))`.execute(
    store.db,
  );
  return Number(numAffectedRows);
}

/**
 * Delete a page of the silences that ended before an instant.
 *
 * @returns how many
 */
export async function deleteSilences(store: Store, before: Date): Promise<number> {
  const silences = store.table('alert_silences');
  const { numAffectedRows = 0n } = await sql`delete from ${silences} where ctid = any (array(
    select ctid from ${silences} where until < ${before} order by until limit ${FORGOTTEN_AT_ONCE} for update skip locked))`.execute(
    store.db,
  );
  return Number(numAffectedRows);
}

/**
 * Delete a page of the alerts that were over before an instant.
 *
 * @returns how many
 */
export async function deleteAlerts(store: Store, before: Date): Promise<number> {
  const alerts = store.table('alerts');
  const { numAffectedRows = 0n } = await sql`delete from ${alerts} where ctid = any (array(
    select ctid from ${alerts} where resolved_at < ${before} order by resolved_at limit ${FORGOTTEN_AT_ONCE} for update skip locked))`.execute(
    store.db,
  );
  return Number(numAffectedRows);
}
