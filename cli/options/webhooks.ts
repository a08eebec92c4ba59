import type { AlertWebhook } from '../../alerts/webhooks';
import type { Environment } from '../environment';

/** PagerDuty's endpoint for alert events. */
const PAGERDUTY = 'https://events.pagerduty.com/v2/enqueue';

/**
 * Webhooks for these URLs, with the secrets from the environment. The forms are `URL`, `slack+URL`, `pagerduty+URL` and
 * `pagerduty`.
 */
export function webhooksOf(urls: string[] = [], environment: Environment): AlertWebhook[] {
  return urls.map((url) => {
    if (url.startsWith('slack+')) return { url: url.slice('slack+'.length), format: 'slack' };
    if (url === 'pagerduty') return pagerDuty(PAGERDUTY, environment);
    if (url.startsWith('pagerduty+')) return pagerDuty(url.slice('pagerduty+'.length), environment);
    return { url, secret: secretOf(environment) };
  });
}

function pagerDuty(url: string, { pagerDutyKey }: Environment): AlertWebhook {
  if (pagerDutyKey) return { url, format: 'pagerduty', routingKey: pagerDutyKey };
  throw new Error('ESCAPEMENT_PAGERDUTY_KEY must name the service: the integration key of its Events API v2');
}

function secretOf({ alertSecret }: Environment): string | [string, string] {
  const [secret, next, ...more] = alertSecret?.split(' ') ?? [];
  if (!secret || more.length > 0) {
    throw new Error(
      'ESCAPEMENT_ALERT_SECRET must be set, to sign the messages to a webhook: whsec_ and 24 to 64 bytes in base64; during a rotation the new and the old one, with a space between',
    );
  }
  return next === undefined ? secret : [secret, next];
}
