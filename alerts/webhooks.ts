import { createHash } from 'node:crypto';
import { z } from 'zod';
import { name, oneOf } from '../core/option-fields';
import type { RenamedTarget } from '../store/alerts/outbox';
import { keyOf } from './sign';

/** A webhook to which alerts are sent. */
export interface AlertWebhook {
  /** URL that receives each message by POST; of PagerDuty mostly `https://events.pagerduty.com/v2/enqueue`. */
  url: string;
  /**
   * Signs the messages: `whsec_` and 24 to 64 bytes in base64. Give two secrets during a rotation; each message is then
   * signed by both. Only the generic form needs a secret.
   */
  secret?: string | [string, string];
  /** Form of the messages. @default 'generic' */
  format?: WebhookFormat;
  /** Integration key of a PagerDuty service; only for the format `pagerduty`. */
  routingKey?: string;
}

const WEBHOOK_FORMATS = ['generic', 'slack', 'pagerduty'] as const;
/** Escapement's own form (`generic`), a Slack message, or a PagerDuty event. */
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

/** The alert options of a trigger. */
export interface AlertOptions {
  /** The different webhooks to which alerts are sent. @default none: alerts are only stored as rows in `alerts` */
  webhooks?: AlertWebhook[];
}

const isUrl = (value: unknown) => typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value);

/** `fetch` refuses a URL with a user or a password. The error of `fetch` would repeat the URL, and would be logged. */
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

// The error message never contains the value, since the value is a secret.
const secret = z.custom(
  (value) => {
    const secrets = [value].flat();
    return secrets.length >= 1 && secrets.length <= 2 && secrets.every(isSecret);
  },
  { error: 'is not whsec_ and 24 to 64 bytes in base64, or two of these' },
);

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

export const ALERT_FIELDS = z.strictObject({
  webhooks: z
    .array(WEBHOOK_FIELDS)
    .superRefine((webhooks, context) => {
      const targets = (webhooks as AlertWebhook[]).map(targetOf);
      for (const [at, target] of targets.entries()) {
        if (targets.indexOf(target) === at) continue;
        const message = 'is the same webhook as an earlier one; to change its secret, give both secrets to one';
        context.addIssue({ code: 'custom', path: [at], message });
      }
    })
    .optional(),
});

/**
 * The name of a webhook in the ledger: a hash of its URL, since parts of the URL may be secret. PagerDuty services
 * share a URL, so their routing key is part of the name. The secret is no part of the name, since a webhook may change
 * its secret.
 */
export function targetOf({ url, routingKey }: AlertWebhook): string {
  return hashOf(routingKey === undefined ? url : JSON.stringify([url, routingKey]));
}

/** The webhooks whose name in an earlier version was another one: the hash of the URL alone. */
export function renamedTargets(webhooks: AlertWebhook[]): RenamedTarget[] {
  const targets = webhooks.map(targetOf);
  return webhooks.flatMap((webhook) => {
    const [former, target] = [hashOf(webhook.url), targetOf(webhook)];
    return targets.includes(former) ? [] : [{ former, target }];
  });
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
