import { sql } from 'kysely';
import type { Store } from '../connection';
import type { NewMessage } from './outbox';
import type { Alert } from './read-alerts';

/**
 * Record an alert that was sent while Postgres took no writes, and that is now resolved.
 *
 * @returns whether this call recorded the outage, rather than another trigger
 */
export async function recordOutage(
  store: Store,
  { alertId, openedAt, resolvedAt, text }: Pick<Alert, 'alertId' | 'openedAt' | 'text'> & { resolvedAt: Date },
): Promise<boolean> {
  const { rows } = await sql<{ alertId: string }>`
    insert into ${store.table('alerts')} (alert_id, condition, subject, opened_at, last_seen_at, looked_at, resolved_at, count, text, told_at)
    values (${alertId}, 'ledger_unavailable', 'ledger', ${openedAt}, ${resolvedAt}, ${resolvedAt}, ${resolvedAt}, 1, ${text}, ${openedAt})
    on conflict do nothing returning alert_id as "alertId"`.execute(store.db);
  if (rows.length === 0) return false;
  await sql`insert into ${store.table('meta')} as m (key, value) values ('outages', '1')
    on conflict (key) do update set value = to_jsonb((m.value #>> '{}')::int + 1)`.execute(store.db);
  return true;
}

/** Record which targets received a message before the message was in the outbox. */
export async function recordTaken(
  store: Store,
  { messageId }: NewMessage,
  { targets, at }: { targets: string[]; at: Date },
): Promise<void> {
  await sql`update ${store.table('alert_messages')} set delivered_at = ${at}, attempts = 1
    where message_id = ${messageId} and target = any(${targets}::text[])`.execute(store.db);
}
