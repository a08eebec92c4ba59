import { type SendResult, sendAlerts } from '../../alerts/send';
import type { AlertWebhook } from '../../alerts/webhooks';
import type { TriggerContext } from '../context';

/** Send what is to be told, to one webhook or to each. None waits for another. */
export async function sendMessages(context: TriggerContext, webhook?: AlertWebhook): Promise<SendResult> {
  const webhooks = webhook ? [webhook] : context.webhooks;
  const results = await Promise.all(webhooks.map((one) => send(context, one)));
  const error = results.find((result) => result.error !== undefined)?.error;
  const sent = results.reduce((sum, result) => sum + result.sent, 0);
  return error === undefined ? { sent } : { sent, error };
}

async function send({ store, clock, logger, stopping }: TriggerContext, webhook: AlertWebhook): Promise<SendResult> {
  const result = await sendAlerts(store, webhook, { now: () => new Date(clock.now()), stopping });
  // Its path may be a secret.
  const { host } = new URL(webhook.url);
  if (result.error !== undefined)
    logger.warn('a webhook does not take alerts; it is tried again', { host, error: result.error });
  return result;
}
