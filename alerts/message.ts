import { v5 as uuidv5 } from 'uuid';
import type { Answerable, AnswerableOfMany } from '../store/alerts/answerable';
import type { NewMessage } from '../store/alerts/outbox';
import type { Alert } from '../store/alerts/read-alerts';

export type MessageType = 'alert.opened' | 'alert.reminder' | 'alert.resolved';

export type ToldAlert = Pick<
  Alert,
  'alertId' | 'condition' | 'scheduleId' | 'tenant' | 'openedAt' | 'resolvedAt' | 'count' | 'text'
>;

/**
 * A message in the generic form. The ID of a message depends only on the alert, the type, and the number of the
 * reminder or the later end, so that no message is sent under two IDs.
 *
 * @param alert.laterEnd the end of the alert, if an earlier end was sent before
 */
export function messageOf(
  type: MessageType,
  alert: ToldAlert & { reminder?: number; laterEnd?: Date },
  {
    now,
    answerable,
    ofMany,
  }: { now: Date; answerable?: Map<string, Answerable>; ofMany?: Map<string, AnswerableOfMany> },
): NewMessage {
  const { alertId, condition, scheduleId, tenant, openedAt, resolvedAt, count, text } = alert;
  const { owner = null, runbook = null } = answerable?.get(scheduleId ?? '') ?? {};
  const many = ofMany?.get(alertId);
  const data = { alertId, condition, scheduleId, tenant, openedAt, resolvedAt, count, text, owner, runbook, ...many };
  const which = alert.reminder ?? alert.laterEnd?.toISOString();
  const name = which === undefined ? type : `${type} ${which}`;
  return { messageId: uuidv5(name, alertId), alertId, body: JSON.stringify({ type, timestamp: now, data }) };
}
