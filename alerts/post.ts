import { bodyFor } from './format';
import { signedHeaders } from './sign';
import type { AlertWebhook } from './webhooks';

/** A webhook that has not answered within this time counts as failed. */
const DEADLINE_MILLISECONDS = 10_000;
const LONGEST_ERROR = 300;

/** Sends a message to a webhook; returns the reason if the webhook did not accept it, undefined if it did. */
export async function post(
  webhook: AlertWebhook,
  message: { id: string; at: Date; body: string },
): Promise<string | undefined> {
  const { url, secret } = webhook;
  const body = bodyFor(webhook, message.body);
  const signatures = secret === undefined ? {} : signedHeaders([secret].flat(), { ...message, body });
  const headers = { 'content-type': 'application/json', ...signatures };
  try {
    const signal = AbortSignal.timeout(DEADLINE_MILLISECONDS);
    // Redirects are not followed, since one may lead to an address that nobody chose.
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    return response.ok ? undefined : `status ${response.status}`;
  } catch (error) {
    const { message: text, cause } = error as Error & { cause?: { code?: string; message?: string } };
    const why = cause?.code ?? cause?.message;
    return `${text}${why ? ` (${why})` : ''}`.slice(0, LONGEST_ERROR);
  }
}
