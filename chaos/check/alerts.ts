import type { Facts, Violation } from './facts';

/** The age from which a message that was not received counts as not delivered. */
const DELIVERED_WITHIN_MILLISECONDS = 30_000;

/**
 * Checks that each message of the outbox reached the webhook: messages that the ledger calls delivered, and messages
 * that have waited long.
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
