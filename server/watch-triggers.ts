import type { Logger } from '@temporalio/common';
import { type MessageType, messageOf, type ToldAlert } from '../alerts/message';
import { noTriggerAlertId } from '../alerts/no-trigger';
import { post } from '../alerts/post';
import { pauseOf } from '../alerts/retry';
import type { AlertWebhook } from '../alerts/webhooks';
import type { EscapementClient } from '../client/client';
import { ALERT_DEFAULTS } from '../core/alert-defaults';
import { Complaint } from '../logging/complaint';
import { readLastPass } from '../store/alerts/turn';
import type { Store } from '../store/connection';

export interface WatchOptions {
  client: Pick<EscapementClient, 'triggers'>;
  store: Store;
  webhooks: AlertWebhook[];
  logger: Logger;
  now: () => Date;
}

/** A webhook, and how far its notification has come. */
interface Receiver {
  webhook: AlertWebhook;
  complaint: Complaint;
  /** The incident of which the webhook was notified, until it was notified of the end. */
  told: ToldAlert | undefined;
  failingSince: Date | null;
  nextAttemptAt: Date;
}

/**
 * Notifies webhooks that no trigger is alive, and later that one is alive again. Each server sends its own
 * notification, under an ID that all servers and triggers of the ledger share. If a webhook does not accept the
 * notification, it is sent again after a growing pause.
 */
export class TriggerWatch {
  /** The alert, with the time since when no trigger was seen; undefined while a trigger is alive. */
  #none: ToldAlert | undefined;
  readonly #receivers: Receiver[];

  constructor(private readonly options: WatchOptions) {
    this.#receivers = options.webhooks.map((webhook) => ({
      webhook,
      complaint: new Complaint(options.logger, {
        failing: 'a webhook did not take an alert; trying again',
        over: 'the webhook takes alerts again',
      }),
      told: undefined,
      failingSince: null,
      nextAttemptAt: new Date(0),
    }));
  }

  async check(): Promise<void> {
    const { client, store, now } = this.options;
    const isAlive = (await client.triggers()).length > 0;
    const at = now();
    if (isAlive) this.#none = undefined;
    else this.#none ??= await alertSince(at, store);
    const isOut =
      this.#none !== undefined && at.getTime() - this.#none.openedAt.getTime() >= ALERT_DEFAULTS.noneAliveMilliseconds;
    for (const receiver of this.#receivers) {
      const { told } = receiver;
      // If the webhook never learned of an incident, its failed attempts do not delay the notification of the next one.
      if (isAlive && !told) Object.assign(receiver, { failingSince: null, nextAttemptAt: new Date(0) });
      if (told && isAlive) {
        if (await send(receiver, 'alert.resolved', { ...told, resolvedAt: at }, at)) receiver.told = undefined;
      } else if (!told && isOut) {
        if (await send(receiver, 'alert.opened', this.#none!, at)) receiver.told = this.#none;
      }
    }
  }
}

/** @returns whether the webhook has accepted the message */
async function send(receiver: Receiver, type: MessageType, alert: ToldAlert, at: Date): Promise<boolean> {
  const { webhook, complaint, failingSince, nextAttemptAt } = receiver;
  if (at < nextAttemptAt) return false;
  const { messageId, body } = messageOf(type, alert, { now: at });
  const error = await post(webhook, { id: messageId, at, body });
  if (error === undefined) {
    complaint.over();
    Object.assign(receiver, { failingSince: null, nextAttemptAt: at });
    return true;
  }
  complaint.failed(error);
  const pause = pauseOf(failingSince, at);
  Object.assign(receiver, { failingSince: failingSince ?? at, nextAttemptAt: new Date(at.getTime() + pause) });
  return false;
}

async function alertSince(openedAt: Date, store: Store): Promise<ToldAlert> {
  const lastPass = await readLastPass(store);
  const text = 'No trigger is alive: nothing is claimed, started or observed until one is.';
  const none = { scheduleId: null, tenant: '', resolvedAt: null, count: 0 };
  return { alertId: noTriggerAlertId(lastPass), condition: 'no_trigger', openedAt, text, ...none };
}
