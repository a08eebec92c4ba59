import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testWebhook } from '../../alerts/test-webhook';
import { type AlertWebhook, WEBHOOK_FIELDS } from '../../alerts/webhooks';
import { problemOf } from '../../core/options';
import { Webhook } from '../support/alerts/webhook';
import { someSchedule, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';

const ledger = useLedger('2026-03-01T00:00:00Z');
const SECRET = `whsec_${Buffer.alloc(32, 'k').toString('base64')}`;
let webhook: Webhook;

beforeEach(async () => {
  webhook = await new Webhook().listen();
});
afterEach(() => webhook.close());

/** An overdue occurrence, with a reminder after four hours, that is answered at last. */
async function tell(form: Omit<AlertWebhook, 'url'>): Promise<unknown[]> {
  await ledger().client.create(someSchedule({ scheduleId: 'pay <all>', tenant: 'acme' }));
  const { passes } = await ledger().trigger({ alerts: { webhooks: [{ url: webhook.url, ...form }] } });
  for (const time of ['01:00:30', '01:01:00', '05:01:00', '05:01:05']) {
    ledger().clock.set(`2026-03-01T${time}Z`);
    if (time === '05:01:05') await ledger().query('update escapement.timers set answered_to = next_fire_at');
    await passes.alert();
  }
  await passes.sendAlerts();
  return webhook.received.map(({ body }) => JSON.parse(body));
}

it('Slack is sent a line for each, with its own characters escaped', async () => {
  const sent = await tell({ format: 'slack' });
  const text = "Schedule 'pay &lt;all&gt;': the occurrence of 2026-03-01T01:00:00Z has no answer.";
  expect(sent).toEqual(
    expect.arrayContaining([
      { text: `:red_circle: *overdue*: ${text}` },
      { text: `:repeat: *overdue* is still open: ${text}` },
      { text: `:white_check_mark: *overdue* is over: ${text}` },
    ]),
  );
  expect(webhook.received.every(({ signatures }) => signatures.join() === 'undefined')).toBe(true);
});

it('PagerDuty has one incident for an alert, which its end resolves', async () => {
  const sent = (await tell({ format: 'pagerduty', routingKey: 'R0UT1NG' })) as {
    dedup_key: string;
    event_action: string;
    payload?: { class: string };
  }[];
  const [opened] = sent.filter(({ payload }) => payload?.class === 'overdue');
  expect(opened).toEqual({
    routing_key: 'R0UT1NG',
    dedup_key: expect.stringMatching(/^[0-9a-f-]{36}$/),
    event_action: 'trigger',
    payload: {
      summary: "Schedule 'pay <all>': the occurrence of 2026-03-01T01:00:00Z has no answer.",
      source: 'pay <all>',
      severity: 'critical',
      timestamp: '2026-03-01T01:01:00.000Z',
      class: 'overdue',
      group: 'acme',
      custom_details: expect.objectContaining({ condition: 'overdue', scheduleId: 'pay <all>', count: 1 }),
    },
  });
  const ofIt = sent.filter(({ dedup_key }) => dedup_key === opened!.dedup_key);
  expect(ofIt.map(({ event_action }) => event_action)).toEqual(['trigger', 'trigger', 'resolve']);
});

describe('a webhook', () => {
  it.each([
    [{ url: 'http://x' }, 'secret'],
    [{ url: 'http://x', format: 'generic' }, 'secret'],
    [{ url: 'http://x', format: 'pagerduty' }, 'routingKey'],
    [{ url: 'http://x', format: 'slack', routingKey: 'x' }, 'routingKey'],
    [{ url: 'http://x', secret: SECRET, routingKey: 'x' }, 'routingKey'],
    [{ url: 'http://x', format: 'teams' }, 'format'],
    [{ url: 'ftp://x', format: 'slack' }, 'url'],
  ])('%o is refused by its path', (given, path) => {
    expect(problemOf(WEBHOOK_FIELDS, given)).toMatchObject({ path });
  });

  it.each([
    { url: 'http://x', secret: SECRET },
    { url: 'http://x', format: 'slack' },
    { url: 'http://x', format: 'slack', secret: SECRET },
    { url: 'http://x', format: 'pagerduty', routingKey: 'x' },
  ])('%o is taken', (given) => {
    expect(problemOf(WEBHOOK_FIELDS, given)).toBeUndefined();
  });
});

it('the test of a PagerDuty service leaves no incident open', async () => {
  expect(await testWebhook({ url: webhook.url, format: 'pagerduty', routingKey: 'x' })).toMatchObject({ taken: true });
  const sent = webhook.received.map(({ body }) => JSON.parse(body));
  expect(sent).toMatchObject([{ event_action: 'trigger', payload: { severity: 'info' } }, { event_action: 'resolve' }]);
  expect(sent[0].dedup_key).toBe(sent[1].dedup_key);
});

it('the command takes slack+URL and pagerduty+URL, and says what is missing', async () => {
  expect(await runCommand(['alert', 'test', `slack+${webhook.url}`])).toMatchObject({ code: 0 });
  expect(webhook.received.map(({ body }) => JSON.parse(body))).toEqual([
    { text: expect.stringMatching(/^:wave: \*test\*/) },
  ]);
  const missing = await runCommand(['alert', 'test', `pagerduty+${webhook.url}`]);
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('ESCAPEMENT_PAGERDUTY_KEY')]);
  const given = await runCommand(['alert', 'test', `pagerduty+${webhook.url}`], {
    ESCAPEMENT_PAGERDUTY_KEY: 'R0UT1NG',
  });
  expect(given.code).toBe(0);
  expect(JSON.parse(webhook.received[1]!.body)).toMatchObject({ routing_key: 'R0UT1NG' });
});
