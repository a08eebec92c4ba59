import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Webhook } from '../support/alerts/webhook';
import { runCommand } from '../support/processes/command';

const KEY = Buffer.alloc(32, 'k');
const SECRET = `whsec_${KEY.toString('base64')}`;
let webhook: Webhook;

beforeEach(async () => {
  webhook = await new Webhook().listen();
});
afterEach(() => webhook.close());

it('alert test sends one message that is signed as alerts are and says that it is a test, and needs no ledger', async () => {
  const { code, stdout } = await runCommand(['alert', 'test', webhook.url], { ESCAPEMENT_ALERT_SECRET: SECRET });
  const [received] = webhook.received;
  expect(webhook.received).toHaveLength(1);
  const { id, timestamp, body, signatures, message } = received!;
  expect([code, stdout]).toEqual([0, `The webhook accepted the test, with the webhook-id ${id}.`]);
  expect(message).toMatchObject({ type: 'alert.test', data: { condition: 'test', scheduleId: null } });
  const mac = createHmac('sha256', KEY).update(`${id}.${timestamp}.${body}`).digest('base64');
  expect(signatures).toEqual([`v1,${mac}`]);
});

it('alert test exits with 1 and says why where the webhook does not take it', async () => {
  webhook.status = 403;
  const env = { ESCAPEMENT_ALERT_SECRET: SECRET };
  const refused = await runCommand(['alert', 'test', webhook.url], env);
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toContain('The webhook did not accept the test: status 403');
  const json = await runCommand(['alert', 'test', webhook.url, '--json'], env);
  expect([json.code, JSON.parse(json.stdout)]).toMatchObject([1, { taken: false, error: 'status 403' }]);
});

it('alert test says why a webhook could not be reached', async () => {
  const { stderr } = await runCommand(['alert', 'test', 'http://127.0.0.1:1/alerts'], {
    ESCAPEMENT_ALERT_SECRET: SECRET,
  });
  expect(stderr).toContain('fetch failed (bad port)');
});

it('alert test refuses what is no URL or no secret, and never shows the secret', async () => {
  for (const [url, secret, said] of [
    [webhook.url, undefined, 'ESCAPEMENT_ALERT_SECRET must be set'],
    [webhook.url, 'whsec_c2hvcnQ=', 'is not whsec_ and 24 to 64 bytes in base64'],
    ['hooks.example.com', SECRET, 'is no http or https URL'],
  ] as const) {
    const env: Record<string, string> = secret === undefined ? {} : { ESCAPEMENT_ALERT_SECRET: secret };
    const { code, stderr } = await runCommand(['alert', 'test', url], env);
    expect([code, stderr]).toEqual([1, expect.stringContaining(said)]);
    if (secret) expect(stderr).not.toContain(secret);
  }
  expect(webhook.received).toEqual([]);
});
