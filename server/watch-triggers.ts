import { randomUUID } from 'node:crypto';
import type { Logger } from '@temporalio/common';
import { messageOf, type ToldAlert } from '../alerts/message';
import { post } from '../alerts/post';
import type { AlertWebhook } from '../alerts/webhooks';
import type { EscapementClient } from '../client/client';

/** Webhooks are notified when no trigger has been alive for this long. */
const NONE_FOR_MILLISECONDS = 30_000;

/** The ledger to watch, and the webhooks to notify. */
export interface WatchOptions {
  client: Pick<EscapementClient, 'triggers'>;
  webhooks: AlertWebhook[];
  logger: Logger;
  now: () => Date;
}

/**
 * Notifies webhooks that no trigger is alive, and later that one is alive again. Each server sends its own
 * notification. If a webhook does not accept the notification, it is sent again at the next check.
 */
export class TriggerWatch {
  /** The alert, with the time since when no trigger was seen; undefined while a trigger is alive. */
  #none: ToldAlert | undefined;
  /** For each webhook, the incident of which it was notified, until it was notified of the end. */
  readonly #told = new Map<AlertWebhook, ToldAlert>();

  constructor(private readonly options: WatchOptions) {}

  /** Check whether a trigger is alive, and notify webhooks that do not know it yet. */
  async check(): Promise<void> {
    const { client, webhooks, now } = this.options;
    const isAlive = (await client.triggers()).length > 0;
    const at = now();
    if (isAlive) this.#none = undefined;
    else this.#none ??= alertSince(at);
    const isOut = this.#none !== undefined && at.getTime() - this.#none.openedAt.getTime() >= NONE_FOR_MILLISECONDS;
    for (const webhook of webhooks) {
      const told = this.#told.get(webhook);
      if (told && isAlive) {
        if (await this.#send(webhook, 'alert.resolved', { ...told, resolvedAt: at })) this.#told.delete(webhook);
      } else if (!told && isOut) {
        if (await this.#send(webhook, 'alert.opened', this.#none!)) this.#told.set(webhook, this.#none!);
      }
    }
  }

  async #send(webhook: AlertWebhook, type: 'alert.opened' | 'alert.resolved', alert: ToldAlert): Promise<boolean> {
    const { logger, now } = this.options;
    const { messageId, body } = messageOf(type, alert, { now: now() });
    const error = await post(webhook, { id: messageId, at: now(), body });
    if (error !== undefined) logger.warn('a webhook did not take an alert; trying again', { error });
    return error === undefined;
  }
}

function alertSince(openedAt: Date): ToldAlert {
  const text = 'No trigger is alive: nothing is claimed, started or observed until one is.';
  const none = { scheduleId: null, tenant: '', resolvedAt: null, count: 0 };
  return { alertId: randomUUID(), condition: 'no_trigger', openedAt, text, ...none };
}
