import { createHash } from 'node:crypto';
import { z } from 'zod';
import { name, oneOf } from '../core/option-fields';
import { keyOf } from './sign';

/** Where alerts are sent. */
export interface AlertWebhook {
  /** Gets each message by POST. */
  url: string;
  /**
   * Signs it: `whsec_` and 24 to 64 bytes in base64. Two during a rotation: each message is signed by both. Only the generic form
   * needs one.
   */
  secret?: string | [string, string];
  /** In which form. @default 'generic' */
  format?: WebhookFormat;
  /** The integration key of a PagerDuty service: of that form alone. */
  routingKey?: string;
}

/** Our own form, a message of Slack, or an event of PagerDuty. */
export const WEBHOOK_FORMATS = ['generic', 'slack', 'pagerduty'] as const;
/** One of {@link WEBHOOK_FORMATS}. */
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

/** What of alerts a trigger takes. */
export interface AlertOptions {
  /** Where they are sent. @default none: they are rows in `alerts` alone */
  webhooks?: AlertWebhook[];
}

const isUrl = (value: unknown) => typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value);

/** `fetch` sends to no such URL, and its error, which is logged, repeats it. */
function hasPassword(url: unknown): boolean {
  if (!isUrl(url)) return false;
  const { username, password } = new URL(url as string);
  return username !== '' || password !== '';
}

function isSecret(value: unknown): boolean {
  if (typeof value !== 'string' || !/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(value)) return false;
  const { length } = keyOf(value);
  return length >= 24 && length <= 64;
}

// What was given is never said: it is a secret.
const secret = z.custom(
  (value) => [value].flat().every(isSecret) && [value].flat().length <= 2 && value !== undefined,
  {
    error: 'is not whsec_ and 24 to 64 bytes in base64, or two of these',
  },
);

/** {@link AlertWebhook}, as it is checked. */
export const WEBHOOK_FIELDS = z
  .strictObject({
    url: z.custom(isUrl, { error: 'is no http or https URL' }),
    secret: secret.optional(),
    format: oneOf(WEBHOOK_FORMATS).optional(),
    routingKey: name.optional(),
  })
  .superRefine(({ url, secret, format, routingKey }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (hasPassword(url)) refuse('url', 'has a user or a password before the host: requests to it cannot be made');
    if (secret === undefined && (format ?? 'generic') === 'generic')
      refuse('secret', 'is missing: it signs each message');
    if (routingKey === undefined && format === 'pagerduty') refuse('routingKey', 'is missing: it names the service');
    if (routingKey !== undefined && format !== 'pagerduty') refuse('routingKey', 'is of PagerDuty alone');
  });

/** {@link AlertOptions}, as they are checked. */
export const ALERT_FIELDS = z.strictObject({ webhooks: z.array(WEBHOOK_FIELDS).optional() });

/** A webhook as the ledger names it: its URL may be a secret. */
export function targetOf({ url }: AlertWebhook): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 32);
}
