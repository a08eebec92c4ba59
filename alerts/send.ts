import { recordDelivered, recordUndelivered, takeMessage } from '../store/alerts/outbox';
import type { Store } from '../store/connection';
import { post } from './post';
import { LONGEST_PAUSE_MILLISECONDS, pauseOf } from './retry';
import { type AlertWebhook, targetOf } from './webhooks';

/** The result of sending to one webhook. */
export interface SendResult {
  /** Number of messages that the webhook accepted. */
  sent: number;
  /** Why the webhook did not accept the last message that was sent; undefined if it accepted all. */
  error?: string;
}

/**
 * How long one trigger has the exclusive right to send to a webhook. This time is longer than the deadline of a post,
 * and short enough that another trigger soon continues after a kill.
 */
const LEASE_MILLISECONDS = 13_000;

/** The pause of a webhook after a message that it keeps refusing. Its other messages wait during this pause too. */
const REFUSED_PAUSE_MILLISECONDS = 60_000;

/**
 * Another trigger's clock may be ahead by this much. The pauses that the other trigger writes then seem longer here.
 */
const CLOCK_MARGIN_MILLISECONDS = 60_000;

/**
 * Send the waiting messages of a webhook in order, until one fails. A later call sends the failed message again, and
 * the messages behind it wait until then. A message that the webhook keeps refusing is sent only if no other waits. A
 * message may be sent more than once, always under the same ID.
 */
export async function sendAlerts(
  store: Store,
  webhook: AlertWebhook,
  { now, stopping }: { now: () => Date; stopping: AbortSignal },
): Promise<SendResult> {
  const target = targetOf(webhook);
  for (let sent = 0; ; sent++) {
    if (stopping.aborted) return { sent };
    const at = now();
    const taken = await takeMessage(store, target, {
      now: at,
      leaseUntil: new Date(at.getTime() + LEASE_MILLISECONDS),
      longestPause: REFUSED_PAUSE_MILLISECONDS + CLOCK_MARGIN_MILLISECONDS,
      longestFailingPause: LONGEST_PAUSE_MILLISECONDS + CLOCK_MARGIN_MILLISECONDS,
    });
    if (!taken) return { sent };
    const { messageId, body, failingSince } = taken;
    const error = await post(webhook, { id: messageId, at: now(), body });
    if (error !== undefined) {
      const failedAt = now();
      const after = (pause: number) => new Date(failedAt.getTime() + pause);
      await recordUndelivered(store, target, messageId, {
        ...{ error, at: failedAt },
        nextAttemptAt: after(pauseOf(failingSince, failedAt)),
        nextIfRefusedAt: after(REFUSED_PAUSE_MILLISECONDS),
      });
      return { sent, error };
    }
    await recordDelivered(store, target, messageId, now());
  }
}
