import type { Facts, Violation } from './facts';

/** A failed message is retried with growing pauses. The webhook itself never fails here. */
const DELIVERED_WITHIN_MILLISECONDS = 30_000;

/**
 * Each message of the outbox must reach the webhook: those that the ledger calls delivered, and those that have waited
 * long.
 */
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
