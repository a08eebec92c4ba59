import { sql } from 'kysely';
import type { Store } from '../connection';
import type { NewMessage } from './outbox';
import type { Alert } from './read-alerts';

/**
 * Record an alert that was sent while Postgres took no writes, and that is now resolved.
 *
 * @param outage.ordinal how many outages had been recorded before, as far as the trigger knows
 * @returns whether this call recorded the outage, rather than another trigger
 */
export async function recordOutage(
  store: Store,
  outage: Pick<Alert, 'alertId' | 'openedAt' | 'text'> & { resolvedAt: Date; ordinal: number },
): Promise<boolean> {
  const { alertId, openedAt, resolvedAt, text, ordinal } = outage;
  const { rows } = await sql<{ alertId: string }>`
    insert into ${store.table('alerts')} (alert_id, condition, subject, opened_at, last_seen_at, looked_at, resolved_at, count, text, told_at)
    values (${alertId}, 'ledger_unavailable', 'ledger', ${openedAt}, ${resolvedAt}, ${resolvedAt}, ${resolvedAt}, 1, ${text}, ${openedAt})
    on conflict do nothing returning alert_id as "alertId"`.execute(store.db);
  if (rows.length === 0) return false;
  await sql`insert into ${store.table('meta')} as m (key, value) values ('outages', to_jsonb(${ordinal + 1}::int))
    on conflict (key) do update set value = greatest(m.value, excluded.value)`.execute(store.db);
  return true;
}

/**
 * Set a later end for a recorded outage, if a webhook accepted a message about the outage after the recorded end.
 * Another trigger, which reached Postgres earlier, has recorded the earlier end.
 *
 * @param acceptedAt when a webhook last accepted a message about the outage
 * @returns whether the end was moved
 */
export async function extendOutage(
  store: Store,
  { alertId, resolvedAt, acceptedAt }: Pick<Alert, 'alertId'> & { resolvedAt: Date; acceptedAt: Date },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`update ${store.table('alerts')}
    set last_seen_at = ${resolvedAt}, looked_at = ${resolvedAt}, resolved_at = ${resolvedAt}
    where alert_id = ${alertId} and resolved_at < ${acceptedAt}`.execute(store.db);
  return numAffectedRows > 0n;
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
