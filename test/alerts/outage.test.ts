import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Trigger } from '../../trigger';
import { Webhook } from '../support/alerts/webhook';
import { endSessions } from '../support/connections/sessions';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:00:00Z');
const [OPENED, RESOLVED] = ['ledger_unavailable alert.opened', 'ledger_unavailable alert.resolved'];
const SECRET = `whsec_${Buffer.alloc(32, 'a').toString('base64')}`;
let webhook: Webhook;

beforeEach(async () => {
  webhook = await new Webhook().listen();
});
afterEach(() => webhook.close());

function silentTrigger(): Promise<Trigger> {
  return ledger().trigger({ alerts: { webhooks: [{ url: webhook.url, secret: SECRET }] } });
}

async function newTrigger(): Promise<Trigger> {
  const trigger = await silentTrigger();
  await trigger.passes.heartbeat();
  await trigger.passes.alert();
  return trigger;
}

/** Let Postgres accept or refuse writes on new connections; open ones are ended. */
async function takesWrites(does: boolean): Promise<void> {
  const name = new URL(ledger().databaseUrl).pathname.slice(1);
  await ledger().query(`alter database "${name}" set default_transaction_read_only = ${does ? 'off' : 'on'}`);
  await endSessions(ledger());
}

/** Let Postgres refuse heartbeats, as on a full disk. @param when which ones, as SQL; by default all */
async function refuseHeartbeats(when = ''): Promise<void> {
  await ledger().query(`
    create function escapement.no_space() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
    create trigger full_disk before insert or update on escapement.triggers for each row ${when} execute function escapement.no_space()`);
}

async function takeHeartbeats(): Promise<void> {
  await ledger().query('drop trigger full_disk on escapement.triggers');
}

const PASSES = ['heartbeat', 'alert', 'sendAlerts'] as const;

/** Run the passes as the loops do: a pass that fails is retried later. */
async function goOn(
  { passes }: Trigger,
  seconds: number,
  only: readonly (typeof PASSES)[number][] = PASSES,
): Promise<void> {
  ledger().clock.advance(seconds * 1_000);
  for (const pass of only) await passes[pass]().catch(() => undefined);
}

const told = () => webhook.received.map(({ message }) => `${message.data.condition} ${message.type}`);
const rows = () => ledger().client.alerts.list({ resolved: true });

it('is told from memory after 30 seconds, once by each trigger under one webhook-id, and is recorded and told as over afterwards', async () => {
  const triggers = [await newTrigger(), await newTrigger()];
  await takesWrites(false);
  for (const seconds of [1, 28]) for (const trigger of triggers) await goOn(trigger, seconds / 2);
  expect(told()).toEqual([]);
  for (let pass = 0; pass < 3; pass++) for (const trigger of triggers) await goOn(trigger, 10);
  expect(told()).toEqual(['ledger_unavailable alert.opened', 'ledger_unavailable alert.opened']);
  expect(new Set(webhook.received.map(({ id }) => id)).size).toBe(1);
  expect(webhook.received[0]!.message.data).toMatchObject({
    scheduleId: null,
    resolvedAt: null,
    count: 1,
    text: expect.stringContaining('takes no writes'),
  });

  await takesWrites(true);
  for (const trigger of triggers) await goOn(trigger, 5);
  for (const trigger of triggers) await goOn(trigger, 5);
  // It is not reported as a time without triggers, since they were alive.
  expect(told().slice(2)).toEqual(['ledger_unavailable alert.resolved']);
  const [alert, ...others] = await rows();
  expect(others).toEqual([]);
  expect(alert).toMatchObject({
    alertId: webhook.received[0]!.message.data.alertId,
    condition: 'ledger_unavailable',
    resolvedAt: expect.any(Date),
  });

  // The next one is another alert.
  await takesWrites(false);
  for (let pass = 0; pass < 5; pass++) await goOn(triggers[0]!, 10);
  expect(told().slice(3)).toEqual(['ledger_unavailable alert.opened']);
  expect(new Set(webhook.received.map(({ id }) => id)).size).toBe(3);
  await takesWrites(true);
});

it('that begins right after another one was recorded is another alert, also before the next heartbeat', async () => {
  const trigger = await newTrigger();
  for (let outage = 0; outage < 2; outage++) {
    await takesWrites(false);
    for (let pass = 0; pass < 5; pass++) await goOn(trigger, 10);
    await takesWrites(true);
    await goOn(trigger, 5);
  }
  expect(told()).toEqual([OPENED, RESOLVED, OPENED, RESOLVED]);
  expect(new Set(webhook.received.map(({ id }) => id)).size).toBe(4);
  expect(await rows()).toHaveLength(2);
});

it('that begins before another one was recorded is another alert, and both are told as over', async () => {
  const trigger = await newTrigger();
  await takesWrites(false);
  for (let pass = 0; pass < 4; pass++) await goOn(trigger, 10);
  await takesWrites(true);
  await trigger.passes.heartbeat();
  await takesWrites(false);
  for (let pass = 0; pass < 4; pass++) await goOn(trigger, 10);
  await takesWrites(true);
  for (let pass = 0; pass < 2; pass++) await goOn(trigger, 5);
  expect(told()).toEqual([OPENED, OPENED, RESOLVED, RESOLVED]);
  const [one, other, ...ended] = webhook.received.map(({ message }) => message.data.alertId);
  expect(ended).toEqual([one, other]);
  expect(other).not.toBe(one);
});

it.each([
  ['which had sent heartbeats', newTrigger],
  ['which had sent no heartbeat yet', silentTrigger],
])('that follows one in which all triggers ended, %s, is another alert', async (_, start) => {
  const lost = await start();
  await takesWrites(false);
  for (let pass = 0; pass < 4; pass++) await goOn(lost, 10);
  await takesWrites(true);
  const trigger = await start();
  await takesWrites(false);
  for (let pass = 0; pass < 4; pass++) await goOn(trigger, 10);
  await takesWrites(true);
  await goOn(trigger, 5);
  expect(told()).toEqual([OPENED, OPENED, RESOLVED]);
  const [former, ...latter] = webhook.received.map(({ message }) => message.data.alertId);
  expect(new Set(latter)).toEqual(new Set([(await rows())[0]!.alertId]));
  expect(latter).not.toContain(former);
});

it('that a trigger reports after another one has recorded its end ends once more', async () => {
  const [first, last] = [await newTrigger(), await newTrigger()];
  await takesWrites(false);
  for (let pass = 0; pass < 4; pass++) await goOn(first, 10);
  await takesWrites(true);
  await refuseHeartbeats(`when (new.id = '${last.id}')`);
  await goOn(first, 5);
  expect(told()).toEqual([OPENED, RESOLVED]);
  for (let pass = 0; pass < 4; pass++) await goOn(last, 10);
  expect(told()).toEqual([OPENED, RESOLVED, OPENED]);

  await takeHeartbeats();
  await goOn(last, 5);
  for (const trigger of [first, last]) await goOn(trigger, 5);
  expect(told()).toEqual([OPENED, RESOLVED, OPENED, RESOLVED]);
  // It is one incident with two ends.
  expect(new Set(webhook.received.map(({ message }) => message.data.alertId)).size).toBe(1);
  expect(new Set(webhook.received.map(({ id }) => id)).size).toBe(3);
  const ends = (await rows()).map(({ resolvedAt }) => resolvedAt?.toISOString());
  expect(ends).toEqual([webhook.received.at(-1)!.message.data.resolvedAt]);
});

/**
 * Send the alerts of a trigger, to a webhook that answers later.
 *
 * @returns a function that lets the webhook answer, with 204 or another status
 */
async function sendHeldUp({ passes }: Trigger): Promise<(status?: number) => Promise<void>> {
  const before = told().length;
  let answer: (status?: number) => void = () => {};
  webhook.answersAfter = new Promise((resolve) => {
    answer = resolve;
  });
  const sending = passes.sendAlerts().catch(() => undefined);
  await expect.poll(() => told().length).toBe(before + 1);
  webhook.answersAfter = undefined;
  return async (status) => {
    answer(status);
    await sending;
  };
}

/** An outage that is over. It was told by one trigger, and the message of another one is still on its way. */
async function overWhileTold() {
  const [first, last] = [await newTrigger(), await newTrigger()];
  await takesWrites(false);
  for (let pass = 0; pass < 4; pass++) {
    await goOn(first, 10);
    await goOn(last, 0, ['heartbeat']);
  }
  const answer = await sendHeldUp(last);
  await takesWrites(true);
  return { first, last, answer };
}

it('that a webhook accepts after another trigger has recorded its end ends once more', async () => {
  const { first, last, answer } = await overWhileTold();
  await goOn(first, 5);
  expect(told()).toEqual([OPENED, OPENED, RESOLVED]);
  ledger().clock.advance(1_000);
  await answer();
  for (const trigger of [last, first, last]) await goOn(trigger, 5);
  expect(told()).toEqual([OPENED, OPENED, RESOLVED, RESOLVED]);
});

it.each([
  ['accepts ends once more, and not before', 204, [RESOLVED]],
  ['refuses does not end again', 503, []],
])('that another trigger has recorded, and whose late message a webhook %s', async (_, status, ends) => {
  const { first, last, answer } = await overWhileTold();
  await goOn(first, 5);
  for (const trigger of [last, last]) await goOn(trigger, 1);
  expect(told()).toEqual([OPENED, OPENED, RESOLVED]);
  await answer(status);
  for (const trigger of [first, last]) await goOn(trigger, 5);
  expect(told()).toEqual([OPENED, OPENED, RESOLVED, ...ends]);
});

it('that a trigger has recorded ends once more after a webhook has accepted a late message of this trigger', async () => {
  const { first, last, answer } = await overWhileTold();
  await goOn(last, 5, ['heartbeat', 'alert']);
  await goOn(first, 5);
  expect(told()).toEqual([OPENED, OPENED, OPENED, RESOLVED]);
  await answer();
  for (const trigger of [last, first, last]) await goOn(trigger, 5);
  expect(told()).toEqual([OPENED, OPENED, OPENED, RESOLVED, RESOLVED]);
  const ends = (await rows()).map(({ resolvedAt }) => resolvedAt?.toISOString());
  expect(ends).toEqual([webhook.received.at(-1)!.message.data.resolvedAt]);
});

it('whose late message a webhook accepts before the end is recorded ends once, and is not told again', async () => {
  const { first, last, answer } = await overWhileTold();
  await goOn(last, 5, ['heartbeat']);
  ledger().clock.advance(1_000);
  await answer();
  for (const trigger of [last, first, last]) await goOn(trigger, 5);
  expect(told()).toEqual([OPENED, OPENED, RESOLVED]);
});

it('is told of at the end to a webhook that took nothing meanwhile, its beginning first; and again each four hours while it lasts', async () => {
  await ledger().client.create(someSchedule());
  const trigger = await newTrigger();
  await takesWrites(false);
  for (let pass = 0; pass < 4; pass++) await goOn(trigger, 10);
  await goOn(trigger, 4 * 3_600);
  await goOn(trigger, 1);
  expect(told()).toEqual(['ledger_unavailable alert.opened', 'ledger_unavailable alert.reminder']);
  await takesWrites(true);
  await goOn(trigger, 5);
  await goOn(trigger, 5);
  expect(told().slice(2)[0]).toBe('ledger_unavailable alert.resolved');

  await takesWrites(false);
  webhook.status = 503;
  for (let pass = 0; pass < 6; pass++) await goOn(trigger, 10);
  webhook.status = 204;
  webhook.received.length = 0;
  await takesWrites(true);
  await goOn(trigger, 20);
  await goOn(trigger, 20);
  const ofOutage = told().filter((one) => one.startsWith('ledger'));
  expect(ofOutage).toEqual(['ledger_unavailable alert.opened', 'ledger_unavailable alert.resolved']);
});

it('of less than 30 seconds nobody is told', async () => {
  const trigger = await newTrigger();
  await takesWrites(false);
  for (let pass = 0; pass < 3; pass++) await goOn(trigger, 9);
  await takesWrites(true);
  for (let pass = 0; pass < 3; pass++) await goOn(trigger, 5);
  expect(told()).toEqual([]);
  expect(await rows()).toEqual([]);
});

it('is told from memory too while Postgres answers but takes no heartbeat, as on a full disk', async () => {
  const trigger = await newTrigger();
  await refuseHeartbeats();
  for (let pass = 0; pass < 5; pass++) await goOn(trigger, 10);
  expect(told()).toEqual(['ledger_unavailable alert.opened']);
  expect(webhook.received[0]!.message.data.text).toContain('could not extend file');

  await takeHeartbeats();
  for (let pass = 0; pass < 2; pass++) await goOn(trigger, 5);
  expect(told().slice(1)).toEqual(['ledger_unavailable alert.resolved']);
});

it('is told from memory too while the ledger of another installation answers', async () => {
  const trigger = await newTrigger();
  await ledger().query(`begin; create table escapement.again (like escapement.meta including all);
    insert into escapement.again select key, case key when 'installation' then '"other"' else value end from escapement.meta;
    drop table escapement.meta cascade; alter table escapement.again rename to meta; commit`);
  for (let pass = 0; pass < 5; pass++) await goOn(trigger, 10);
  expect(told()).toEqual([OPENED]);
});
