import { recordDelivered, recordUndelivered, takeMessage } from '../store/alerts/outbox';
import type { Store } from '../store/connection';
import { post } from './post';
import { pauseOf } from './retry';
import { type AlertWebhook, targetOf } from './webhooks';

/** The result of sending to one webhook. */
export interface SendResult {
  /** Number of messages that the webhook accepted. */
  sent: number;
  /** Why the webhook did not accept the next message; undefined if it refused none. */
  error?: string;
}

/**
 * How long one trigger has the exclusive right to send to a webhook. This time is longer than the deadline of a post,
 * and short enough that another trigger soon continues after a kill.
 */
const LEASE_MILLISECONDS = 13_000;

/**
 * Send the waiting messages of a webhook in order, until one fails. A later call tries that message again, and all
 * later messages wait for it. A message may be sent more than once, always under the same ID.
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
