import type { Facts, Violation } from './facts';

/** Once a message is this old, it must have been delivered: in chaos runs the webhook itself never fails. */
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
