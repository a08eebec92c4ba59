import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pauseOf } from '../../alerts/retry';
import type { TunedTriggerOptions } from '../../trigger/options';
import { Webhook } from '../support/alerts/webhook';
import { watchedPool } from '../support/connections/watched-pool';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:00:00Z');
const KEYS = [Buffer.alloc(32, 'a'), Buffer.alloc(24, 'b')];
const [SECRET, NEXT] = KEYS.map((key) => `whsec_${key.toString('base64')}`) as [string, string];
let webhook: Webhook;

beforeEach(async () => {
  webhook = await new Webhook().listen();
});
afterEach(() => webhook.close());

const triggerTo = (options: Partial<TunedTriggerOptions> = {}) =>
  ledger().trigger({ alerts: { webhooks: [{ url: webhook.url, secret: SECRET }] }, ...options });

/** Let the occurrence of 01:00 be overdue at 01:01, and answered later. */
const schedule = (scheduleId: string) => ledger().client.create(someSchedule({ scheduleId }));
const answer = () => ledger().query('update escapement.timers set answered_to = next_fire_at');

it('a message says what opened and what is over, is signed by each secret, and is sent once', async () => {
  await schedule('payroll');
  const { passes } = await triggerTo({ alerts: { webhooks: [{ url: webhook.url, secret: [NEXT, SECRET] }] } });
  ledger().clock.set('2026-03-01T01:00:30Z');
  await passes.alert();
  ledger().clock.set('2026-03-01T01:01:00Z');
  await passes.alert();
  expect(await passes.sendAlerts()).toEqual({ sent: 1 });
  expect(await passes.sendAlerts()).toEqual({ sent: 0 });
  const [alert] = await ledger().client.alerts.list();
  await answer();
  ledger().clock.set('2026-03-01T01:01:30Z');
  await passes.alert();
  await passes.sendAlerts();

  const data = {
    alertId: alert!.alertId,
    condition: 'overdue',
    scheduleId: 'payroll',
    tenant: '',
    openedAt: '2026-03-01T01:01:00.000Z',
    resolvedAt: null,
    count: 1,
    text: "Schedule 'payroll': the occurrence of 2026-03-01T01:00:00Z has no answer.",
    owner: null,
    runbook: null,
  };
  expect(webhook.received.map(({ message }) => message)).toEqual([
    { type: 'alert.opened', timestamp: '2026-03-01T01:01:00.000Z', data },
    {
      type: 'alert.resolved',
      timestamp: '2026-03-01T01:01:30.000Z',
      data: { ...data, resolvedAt: '2026-03-01T01:01:30.000Z' },
    },
  ]);
  for (const { id, timestamp, body, signatures } of webhook.received) {
    const signed = [KEYS[1]!, KEYS[0]!].map((key) =>
      createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64'),
    );
    expect(signatures).toEqual(signed.map((signature) => `v1,${signature}`));
  }
  expect(webhook.received.map(({ timestamp }) => Number(timestamp))).toEqual([
    Date.parse('2026-03-01T01:01:00Z') / 1_000,
    Date.parse('2026-03-01T01:01:30Z') / 1_000,
  ]);
});

it('a webhook that fails for an hour and then works gets all, in order, once each by key', async () => {
  const { passes } = await triggerTo();
  await passes.alert();
  webhook.status = 503;
  for (const id of ['a', 'b', 'c']) {
    await schedule(id);
    await ledger().query(
      `update escapement.timers set next_fire_at = '2026-03-01T00:00:01Z', wake_at = '2026-03-01T00:00:01Z',
      answered_to = '2026-02-28Z' where schedule_id = $1`,
      [id],
    );
    for (const milliseconds of [35_000, 35_000]) {
      ledger().clock.advance(milliseconds);
      await passes.alert();
    }
    expect((await passes.sendAlerts()).sent).toBe(0);
  }
  await answer();
  await passes.alert();
  for (let seconds = 0; seconds < 3_600; seconds += 15) {
    ledger().clock.advance(15_000);
    expect((await passes.sendAlerts()).sent).toBe(0);
  }
  expect(webhook.received).toEqual([]);
  const [{ attempts } = { attempts: 0 }] = await ledger().query<{ attempts: number }>(
    'select max(attempts) as attempts from escapement.alert_messages',
  );
  // Each 15 seconds for ten minutes, and less and less often from then on.
  expect(attempts).toBeGreaterThan(30);
  expect(attempts).toBeLessThan(45);
  webhook.status = 204;
  ledger().clock.advance(3_600_000);
  expect(await passes.sendAlerts()).toEqual({ sent: 6 });
  const told = webhook.received.map(({ message }) => `${message.type} ${message.data.scheduleId}`);
  expect(told).toEqual(
    ['opened a', 'opened b', 'opened c', 'resolved a', 'resolved b', 'resolved c'].map((one) => `alert.${one}`),
  );
  expect(new Set(webhook.received.map(({ id }) => id)).size).toBe(6);
});

it('a message that a webhook itself refuses again and again holds up later ones for some minutes only, and is sent once it is accepted', async () => {
  const { passes } = await triggerTo();
  await passes.alert();
  webhook.refusing = "'bad-";
  const open = async (id: string) => {
    await schedule(id);
    await ledger().query(
      `update escapement.timers set next_fire_at = '2026-03-01T00:00:01Z', wake_at = '2026-03-01T00:00:01Z',
      answered_to = '2026-02-28Z' where schedule_id = $1`,
      [id],
    );
    for (const milliseconds of [35_000, 35_000]) {
      ledger().clock.advance(milliseconds);
      await passes.alert();
    }
  };
  const opened = () =>
    webhook.received.flatMap(({ message }) => (message.type === 'alert.opened' ? (message.data.scheduleId ?? []) : []));
  for (const id of ['bad-1', 'bad-2', 'bad-3', 'good']) await open(id);
  for (let attempt = 1; attempt <= 60; attempt++) {
    expect(await passes.sendAlerts()).toEqual({ sent: 0, error: 'status 400' });
    // Each message is refused after twenty attempts.
    ledger().clock.advance(attempt % 20 === 0 ? 60_000 : 15_000);
  }
  await passes.sendAlerts();
  expect(opened()).toEqual(['good']);
  await open('new');
  await passes.sendAlerts();
  expect(opened()).toEqual(['good', 'new']);
  webhook.refusing = "'bad-1'";
  for (let minute = 0; minute < 4; minute++) {
    ledger().clock.advance(60_000);
    await passes.sendAlerts();
  }
  expect(opened().sort()).toEqual(['bad-2', 'bad-3', 'good', 'new']);
  webhook.refusing = undefined;
  ledger().clock.advance(60_000);
  await passes.sendAlerts();
  expect(opened()).toContain('bad-1');
});

it('a message that is refused after a long failure is left alone for a minute, and not for as long as that', async () => {
  await schedule('payroll');
  const { passes } = await triggerTo();
  for (const time of ['01:00:30', '01:01:00']) {
    ledger().clock.set(`2026-03-01T${time}Z`);
    await passes.alert();
  }
  webhook.status = 503;
  for (let attempt = 0; attempt < 120; attempt++, ledger().clock.advance(15_000)) await passes.sendAlerts();
  webhook.status = 400;
  ledger().clock.advance(3_600_000);
  expect(await passes.sendAlerts()).toEqual({ sent: 0, error: 'status 400' });
  expect(await passes.sendAlerts()).toEqual({ sent: 0 });
  ledger().clock.advance(60_000);
  expect(await passes.sendAlerts()).toEqual({ sent: 0, error: 'status 400' });
});

it('an alert that nobody acknowledges is told again every four hours, once each by key, until somebody does or it is over', async () => {
  await schedule('payroll');
  const { passes } = await triggerTo();
  const alertsAt = async (time: string) => {
    ledger().clock.set(`2026-03-01T${time}Z`);
    await passes.alert();
    await passes.sendAlerts();
  };
  await alertsAt('01:00:30');
  await alertsAt('01:01:00');
  for (const time of ['05:00:59', '05:01:00', '05:01:05', '09:00:00', '17:30:00', '17:30:05']) await alertsAt(time);
  const ofPayroll = () => webhook.received.filter(({ message }) => message.data.condition === 'overdue');
  expect(ofPayroll().map(({ message }) => `${message.type} ${message.timestamp}`)).toEqual([
    'alert.opened 2026-03-01T01:01:00.000Z',
    'alert.reminder 2026-03-01T05:01:00.000Z',
    'alert.reminder 2026-03-01T17:30:00.000Z',
  ]);
  expect(new Set(webhook.received.map(({ id }) => id)).size).toBe(webhook.received.length);
  const [alert] = (await ledger().client.alerts.list()).filter(({ condition }) => condition === 'overdue');
  await ledger().client.alerts.ack(alert!.alertId);
  await alertsAt('21:01:00');
  expect(ofPayroll()).toHaveLength(3);
  await answer();
  await alertsAt('21:01:05');
  expect(ofPayroll().at(-1)!.message.type).toBe('alert.resolved');
});

it('of alerts that are told as one people are reminded by that one alone', async () => {
  for (let index = 0; index < 21; index++) await schedule(`s${index}`);
  const { passes } = await triggerTo();
  const remindedAt = async (time: string) => {
    ledger().clock.set(`2026-03-01T${time}Z`);
    return (await passes.alert()).reminded.map(({ condition, scheduleId }) => `${condition} of ${scheduleId}`);
  };
  await remindedAt('01:00:30');
  await remindedAt('01:01:00');
  expect(await remindedAt('05:01:00')).toEqual(['overdue of null']);
  expect(await remindedAt('05:01:05')).toEqual([]);
});

it('of what has flapped and is good for now nobody is reminded', async () => {
  await schedule('payroll');
  const { passes } = await triggerTo();
  for (const time of ['01:00:30', '01:01:00']) {
    ledger().clock.set(`2026-03-01T${time}Z`);
    await passes.alert();
  }
  await ledger().query(
    `insert into escapement.alerts (alert_id, condition, subject, schedule_id, opened_at, last_seen_at, looked_at, resolved_at, count, text)
      select gen_random_uuid(), 'overdue', 'payroll', 'payroll', at, at, at, at, 1, '' from (values ('2026-03-01T05:00Z'::timestamptz)) v (at),
        generate_series(1, 3)`,
  );
  await ledger().query(`update escapement.alerts set last_seen_at = '2026-03-01T05:00Z'`);
  await answer();
  ledger().clock.set('2026-03-01T05:01:00Z');
  expect(await passes.alert()).toMatchObject({ reminded: [], resolved: [] });
});

it('a retry comes within 15 seconds in the first ten minutes, and within an hour ever after', () => {
  const at = new Date('2026-03-01T01:00:00Z');
  const after = (seconds: number) => pauseOf(new Date(at.getTime() - seconds * 1_000), at) / 1_000;
  expect(pauseOf(null, at)).toBe(1_000);
  expect([0, 5, 60, 599].map(after)).toEqual([1, 5, 15, 15]);
  expect([600, 1_800, 3_600, 86_400].map(after)).toEqual([600, 1_800, 3_600, 3_600]);
});

it('an alert that was opened by a trigger that died is sent by another, and again under the same ID where the answer was lost', async () => {
  await schedule('payroll');
  const dying = await triggerTo();
  ledger().clock.set('2026-03-01T01:00:30Z');
  await dying.passes.alert();
  ledger().clock.set('2026-03-01T01:01:00Z');
  await dying.passes.alert();
  await dying.close();

  // The trigger is killed between the webhook's answer and its record.
  const pool = watchedPool(ledger(), {
    before: (text) => {
      if (text.includes('delivered_at = $')) throw new Error('killed');
    },
  });
  const second = await triggerTo({ pool });
  await expect(second.passes.sendAlerts()).rejects.toThrow('killed');
  const third = await triggerTo();
  expect(await third.passes.sendAlerts()).toEqual({ sent: 0 });
  ledger().clock.advance(15_000);
  expect(await third.passes.sendAlerts()).toEqual({ sent: 1 });
  expect(webhook.received).toHaveLength(2);
  expect(new Set(webhook.received.map(({ id }) => id)).size).toBe(1);
  expect(new Set(webhook.received.map(({ body }) => body)).size).toBe(1);
});

it('a pass that dies before its commit has opened nothing, and the next one opens it', async () => {
  await schedule('payroll');
  const pool = watchedPool(ledger(), {
    before: (text) => {
      if (text.includes('"alert_messages"')) throw new Error('killed');
    },
  });
  const dying = await triggerTo({ pool });
  ledger().clock.set('2026-03-01T01:00:30Z');
  await dying.passes.alert();
  ledger().clock.set('2026-03-01T01:01:00Z');
  await expect(dying.passes.alert()).rejects.toThrow('killed');
  expect(await ledger().client.alerts.list()).toEqual([]);
  const { passes } = await triggerTo();
  await passes.alert();
  expect(await passes.sendAlerts()).toEqual({ sent: 1 });
  expect(webhook.told()).toEqual(['overdue alert.opened']);
});

it('two triggers send to a webhook one after the other, and one that never answers holds up no other', async () => {
  await schedule('payroll');
  const silent = await new Webhook().listen();
  silent.status = null;
  const webhooks = [silent, webhook].map(({ url }) => ({ url, secret: SECRET }));
  const { passes } = await ledger().trigger({ alerts: { webhooks } });
  ledger().clock.set('2026-03-01T01:00:30Z');
  await passes.alert();
  ledger().clock.set('2026-03-01T01:01:00Z');
  await passes.alert();
  const waiting = passes.sendAlerts(webhooks[0]!);
  const other = await ledger().trigger({ alerts: { webhooks } });
  expect(await Promise.all([passes.sendAlerts(webhooks[1]!), other.passes.sendAlerts(webhooks[1]!)])).toEqual(
    expect.arrayContaining([{ sent: 1 }, { sent: 0 }]),
  );
  expect(webhook.told()).toEqual(['overdue alert.opened']);
  await silent.close();
  expect(await waiting).toMatchObject({ sent: 0, error: expect.any(String) });
});
