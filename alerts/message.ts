import { v5 as uuidv5 } from 'uuid';
import type { NewMessage } from '../store/alerts/outbox';
import type { Alert } from '../store/alerts/read-alerts';

/** What a message says of an alert. */
export type MessageType = 'alert.opened' | 'alert.resolved';

/** A message of the generic form. Its ID is a function of the alert and the type, so that no alert is told twice under two IDs. */
export function messageOf(type: MessageType, alert: Alert, now: Date): NewMessage {
  const { alertId, condition, scheduleId, tenant, openedAt, resolvedAt, count, text } = alert;
  const data = { alertId, condition, scheduleId, tenant, openedAt, resolvedAt, count, text };
  return { messageId: uuidv5(type, alertId), alertId, body: JSON.stringify({ type, timestamp: now, data }) };
}
