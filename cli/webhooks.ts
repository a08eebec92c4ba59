import type { AlertWebhook } from '../alerts/webhooks';
import type { Environment } from './environment';

/** Webhooks at these URLs, with the secret that the environment has. */
export function webhooksOf(urls: string[] = [], { alertSecret }: Environment): AlertWebhook[] {
  if (urls.length === 0) return [];
  const [secret, next, ...more] = alertSecret?.split(' ') ?? [];
  if (!secret || more.length > 0) {
    throw new Error(
      'ESCAPEMENT_ALERT_SECRET is to sign what is sent to a webhook: whsec_ and 24 to 64 bytes in base64; during a rotation the new and the old one, with a space between',
    );
  }
  return urls.map((url) => ({ url, secret: next === undefined ? secret : [secret, next] }));
}
