import type { Facts, MessageFact, Violation } from './facts';

/** The age from which a message that was not received counts as not delivered. */
const DELIVERED_WITHIN_MILLISECONDS = 30_000;

/**
 * Checks that the webhook received each message of the outbox that must have arrived: those that the ledger calls
 * delivered, and those that are older than 30 s.
 */
export function checkAlerts(facts: Facts): Violation[] {
  const arrived = new Set(facts.received);
  return mustArrive(facts)
    .filter(({ messageId }) => !arrived.has(messageId))
    .map(({ messageId, deliveredAt }) => ({
      kind: 'alert not delivered',
      text: `the webhook has no ${messageId}, which the ledger says ${deliveredAt === null ? 'waits' : 'was delivered'}`,
    }));
}

/** The messages that the webhook must have received. */
export function mustArrive({ messages, readAt }: Facts): MessageFact[] {
  return messages.filter(
    ({ createdAt, deliveredAt }) => deliveredAt !== null || readAt - createdAt > DELIVERED_WITHIN_MILLISECONDS,
  );
}
