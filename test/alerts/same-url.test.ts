import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ALERT_FIELDS } from '../../alerts/webhooks';
import { checkOptions } from '../../core/options';
import { Webhook } from '../support/alerts/webhook';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:00:00Z');
const SECRETS = ['a', 'b'].map((letter) => `whsec_${Buffer.alloc(32, letter).toString('base64')}`);
let webhook: Webhook;

beforeEach(async () => {
  webhook = await new Webhook().listen();
});
afterEach(() => webhook.close());

const services = (...keys: string[]) =>
  keys.map((routingKey) => ({ url: webhook.url, format: 'pagerduty' as const, routingKey }));
const newTrigger = (...keys: string[]) => ledger().trigger({ alerts: { webhooks: services(...keys) } });

/** The events that arrived: which service got what. */
const events = () =>
  webhook.received.map(({ message }) => {
    const { routing_key: key, event_action: action } = message as unknown as Record<string, string>;
    return `${key} ${action}`;
  });

/** Let the occurrence of 01:00 be overdue at 01:01. */
async function openOne({ passes }: Awaited<ReturnType<typeof newTrigger>>): Promise<void> {
  await ledger().client.create(someSchedule({ scheduleId: 'payroll' }));
  for (const time of ['01:00:30', '01:01:00']) {
    ledger().clock.set(`2026-03-01T${time}Z`);
    await passes.alert();
  }
}

it('two PagerDuty services with one URL each get every message, also after a restart in another order', async () => {
  const first = await newTrigger('payments', 'platform');
  await openOne(first);
  await first.passes.sendAlerts();
  expect(events().sort()).toEqual(['payments trigger', 'platform trigger']);

  const restarted = await newTrigger('platform', 'payments');
  await ledger().query('update escapement.timers set answered_to = next_fire_at');
  ledger().clock.set('2026-03-01T01:01:30Z');
  await restarted.passes.alert();
  await restarted.passes.sendAlerts();
  expect(events().sort()).toEqual(['payments resolve', 'payments trigger', 'platform resolve', 'platform trigger']);
  const names = await ledger().query<{ target: string }>('select target from escapement.alert_targets');
  expect(JSON.stringify(names)).not.toMatch(/payments|platform/);
});

it('messages that wait under the name of an earlier version, of the URL alone, go to each service once', async () => {
  const trigger = await newTrigger('payments', 'platform');
  await openOne(trigger);
  const former = createHash('sha256').update(webhook.url).digest('hex').slice(0, 32);
  await ledger().query(
    `update escapement.alert_messages set target = $1
    where target = (select min(target) from escapement.alert_targets)`,
    [former],
  );
  await ledger().query(`delete from escapement.alert_messages where target <> $1`, [former]);
  await ledger().query(
    `insert into escapement.alert_targets (target, since, next_attempt_at)
    values ($1, '2026-02-01Z', '2026-02-01Z')`,
    [former],
  );
  for (const time of ['01:01:05', '01:01:10']) {
    ledger().clock.set(`2026-03-01T${time}Z`);
    await trigger.passes.alert();
    await trigger.passes.sendAlerts();
  }
  expect(events().sort()).toEqual(['payments trigger', 'platform trigger']);
  const waiting = `select from escapement.alert_messages where delivered_at is null`;
  expect(await ledger().query(waiting)).toEqual([]);
});

it.each([
  ['generic ones with different secrets', () => SECRETS.map((secret) => ({ url: webhook.url, secret }))],
  ['one service', () => services('payments', 'payments')],
])('the same webhook cannot be given twice, since each message would reach it once: %s', (_, webhooks) => {
  expect(() => checkOptions(ALERT_FIELDS, { webhooks: webhooks() }, 'alerts')).toThrow(
    /alerts\.webhooks.*1.*is the same webhook/,
  );
});
