import { sql } from 'kysely';
import type { Store } from '../connection';

/**
 * Let only this trigger raise alerts until the transaction ends.
 *
 * @returns the instant up to which the last alert pass has read the ledger, or `now` at the very first pass; undefined
 * while another trigger raises alerts
 */
export async function takeTurn(store: Store, now: Date): Promise<Date | undefined> {
  const meta = store.table('meta');
  await sql`insert into ${meta} (key, value) select 'alerts', jsonb_build_object('readTo', ${now.toISOString()}::text)
    where not exists (select from ${meta} where key = 'alerts') on conflict do nothing`.execute(store.db);
  const { rows } = await sql<{ readTo: Date }>`select (value ->> 'readTo')::timestamptz as "readTo" from ${meta}
    where key = 'alerts' for update skip locked`.execute(store.db);
  return rows[0]?.readTo;
}

/** Record that everything written before `now` has been read. */
export async function endTurn(store: Store, now: Date): Promise<void> {
  await sql`update ${store.table('meta')} set value = jsonb_build_object('readTo', ${now.toISOString()}::text)
    where key = 'alerts'`.execute(store.db);
}
