import { type SendResult, sendAlerts } from '../../alerts/send';
import type { AlertWebhook } from '../../alerts/webhooks';
import type { TriggerContext } from '../context';

/** Send pending messages, to one webhook or to each. No webhook waits for another webhook. */
export async function sendMessages(context: TriggerContext, webhook?: AlertWebhook): Promise<SendResult> {
  const webhooks = webhook ? [webhook] : context.webhooks;
  const results = await Promise.all(webhooks.map((one) => send(context, one)));
  const error = results.find((result) => result.error !== undefined)?.error;
  const sent = results.reduce((sum, result) => sum + result.sent, 0);
  return error === undefined ? { sent } : { sent, error };
}

async function send(context: TriggerContext, webhook: AlertWebhook): Promise<SendResult> {
  const { store, clock, logger, stopping, outage } = context;
  // The message about an outage of Postgres is sent from memory, since no row can be written about it.
  const now = () => new Date(clock.now());
  sayOutage(context, webhook, await outage.tell(webhook, now));
  const result = await sendAlerts(store, webhook, { now, stopping });
  if (result.error !== undefined) logger.warn(NOT_TAKEN, { host: hostOf(webhook), error: result.error });
  return result;
}

const NOT_TAKEN = 'a webhook does not accept alerts; trying again';

function sayOutage(
  { logger }: TriggerContext,
  webhook: AlertWebhook,
  { told, error }: { told: boolean; error?: string },
) {
  const host = hostOf(webhook);
  if (error !== undefined) logger.warn(NOT_TAKEN, { host, error });
  if (told) logger.warn('reported to a webhook that Postgres takes no writes', { host });
}

/** The host of a webhook's URL; the rest of the URL may be a secret. */
function hostOf({ url }: AlertWebhook): string {
  return new URL(url).host;
}
