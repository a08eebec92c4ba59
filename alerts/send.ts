import { recordDelivered, recordUndelivered, takeMessage } from '../store/alerts/outbox';
import type { Store } from '../store/connection';
import { post } from './post';
import { pauseOf } from './retry';
import { type AlertWebhook, targetOf } from './webhooks';

/** What sending to one webhook did. */
export interface SendResult {
  /** Messages that it took. */
  sent: number;
  /** Why it did not take the next one; undefined where none is left. */
  error?: string;
}

/** So long nobody else sends to it: past the deadline of a post, and soon enough for the next try after a kill. */
const LEASE_MILLISECONDS = 13_000;

/**
 * Send what waits for a webhook, in order: what it does not take holds back what follows, and is tried again later. Each
 * message is sent outside of any transaction, at least once, under the same ID.
 */
export async function sendAlerts(
  store: Store,
  webhook: AlertWebhook,
  { now, stopping }: { now: () => Date; stopping: AbortSignal },
): Promise<SendResult> {
  const target = targetOf(webhook);
  for (let sent = 0; ; sent++) {
    const taken = stopping.aborted
      ? undefined
      : await takeMessage(store, target, { now: now(), leaseUntil: new Date(now().getTime() + LEASE_MILLISECONDS) });
    if (!taken) return { sent };
    const { messageId, body, failingSince } = taken;
    const error = await post(webhook, { id: messageId, at: now(), body });
    if (error !== undefined) {
      const nextAttemptAt = new Date(now().getTime() + pauseOf(failingSince, now()));
      await recordUndelivered(store, target, messageId, { error, now: now(), nextAttemptAt });
      return { sent, error };
    }
    await recordDelivered(store, target, messageId, now());
  }
}
