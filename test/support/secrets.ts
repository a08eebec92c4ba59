import { expect } from 'vitest';

/** Secrets that must not appear anywhere. None of them is part of another text. */
export const SECRETS = {
  databasePassword: 'pgpass-b7Jx41',
  temporalKey: 'tmprl-key-Qm58sv',
  webhook: `whsec_${Buffer.from('hook-secret-of-32-bytes-4f9Zx0k!').toString('base64')}`,
  slackPath: 'T00-B00-slackPath71',
  routingKey: 'pd-routing-Kc93',
  apiToken: 'esc_token-of-a-caller-2Wd6',
};

/** A key as read from a file that ends with a line end. */
export const KEY_WITH_LINE_END = `${SECRETS.temporalKey}\n`;

/** Assert that an operation failed, and that none of the texts contains a secret. */
export function expectNone(what: string, texts: string[], { failed }: { failed: boolean }): void {
  expect(failed, `${what}: what was to fail did not`).toBe(true);
  const text = texts.join('\n');
  const shown = Object.entries(SECRETS).filter(([, secret]) => text.includes(secret));
  expect(shown, `${what}:\n${text.slice(0, 4_000)}`).toEqual([]);
}
