import type { Facts, Violation } from './facts';

/** A message that failed is tried again at pauses that grow; the webhook itself never fails here. */
const DELIVERED_WITHIN_MILLISECONDS = 30_000;

/** Each message of the outbox reached the webhook: what the ledger says was delivered, and what has waited for long. */
export function checkAlerts({ messages, received, readAt }: Facts): Violation[] {
  const arrived = new Set(received);
  return messages
    .filter(({ messageId, createdAt, deliveredAt }) => {
      const isDue = deliveredAt !== null || readAt - createdAt > DELIVERED_WITHIN_MILLISECONDS;
      return isDue && !arrived.has(messageId);
    })
    .map(({ messageId, deliveredAt }) => ({
      kind: 'alert not delivered',
      text: `the webhook has no ${messageId}, which the ledger says ${deliveredAt === null ? 'waits' : 'was delivered'}`,
    }));
}
