import { expect, it } from 'vitest';
import { TriggerWatch } from '../../server/watch-triggers';
import { openStore } from '../../store/connection';
import { Webhook } from '../support/alerts/webhook';
import { useLedger } from '../support/ledger';
import { MemoryLogger } from '../support/logger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const SECRET = `whsec_${Buffer.alloc(24).toString('base64')}`;

function watchOf({ url }: Webhook): TriggerWatch {
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const { client, clock } = ledger();
  const now = () => new Date(clock.now());
  return new TriggerWatch({ client, store, webhooks: [{ url, secret: SECRET }], logger: new MemoryLogger(), now });
}

it('tells each webhook once that no trigger is alive, again until it takes it, and once when one is', async () => {
  const webhook = await new Webhook().listen();
  ledger().beforeClose(() => webhook.close());
  const { clock } = ledger();
  const watch = watchOf(webhook);
  await watch.check();
  clock.advance(29_000);
  await watch.check();
  expect(webhook.told()).toEqual([]);
  clock.advance(1_000);
  webhook.status = 500;
  await watch.check();
  expect(webhook.told()).toEqual([]);
  // A webhook that refuses is left alone for a while.
  webhook.status = 204;
  await watch.check();
  expect(webhook.told()).toEqual([]);
  clock.advance(1_000);
  await watch.check();
  await watch.check();
  expect(webhook.told()).toEqual(['no_trigger alert.opened']);
  const trigger = await ledger().trigger();
  await trigger.passes.heartbeat();
  await watch.check();
  await watch.check();
  expect(webhook.told()).toEqual(['no_trigger alert.opened', 'no_trigger alert.resolved']);
  const [opened, resolved] = webhook.received.map(({ message }) => message.data.alertId);
  expect(resolved).toBe(opened);
});

it('a server that was restarted, another one, and the trigger that ends it tell of one incident', async () => {
  const webhook = await new Webhook().listen();
  ledger().beforeClose(() => webhook.close());
  const alerts = { webhooks: [{ url: webhook.url, secret: SECRET }] };
  const dead = await ledger().trigger({ alerts });
  await dead.passes.heartbeat();
  await dead.passes.alert();
  ledger().clock.advance(60_000);
  const servers = [watchOf(webhook), watchOf(webhook)];
  for (const server of servers) await server.check();
  ledger().clock.advance(30_000);
  for (const server of servers) await server.check();
  expect(webhook.told()).toEqual(['no_trigger alert.opened', 'no_trigger alert.opened']);

  // Both are restarted, and a trigger is back before they look.
  const next = await ledger().trigger({ alerts });
  for (const pass of ['heartbeat', 'alert', 'alert', 'sendAlerts', 'sendAlerts'] as const) await next.passes[pass]();
  await watchOf(webhook).check();
  expect(webhook.told().slice(2)).toEqual(['no_trigger alert.opened', 'no_trigger alert.resolved']);
  expect(new Set(webhook.received.map(({ message }) => message.data.alertId)).size).toBe(1);
  expect(new Set(webhook.received.map(({ id }) => id)).size).toBe(2);
});

it('each time without a trigger is an incident of its own, also after triggers that died before their first alert pass', async () => {
  const webhook = await new Webhook().listen();
  ledger().beforeClose(() => webhook.close());
  const { clock } = ledger();
  const alerts = { webhooks: [{ url: webhook.url, secret: SECRET }] };
  const begin = async () => {
    const trigger = await ledger().trigger({ alerts });
    await trigger.passes.heartbeat();
    return trigger;
  };
  const servers = [watchOf(webhook), watchOf(webhook)];
  const check = async () => {
    for (const server of servers) await server.check();
  };
  const waitWithoutTrigger = async () => {
    for (const seconds of [20, 30]) {
      clock.advance(seconds * 1_000);
      await check();
    }
  };
  await (await begin()).passes.alert();
  for (let crash = 0; crash < 2; crash++) {
    await waitWithoutTrigger();
    await begin();
    await check();
  }
  await waitWithoutTrigger();
  // A server is restarted, and of two triggers that begin at once, the first one leaves the ledger again.
  servers[0] = watchOf(webhook);
  await begin();
  await ledger().query('delete from escapement.triggers');
  const next = await begin();
  for (const pass of ['alert', 'alert', 'sendAlerts', 'sendAlerts'] as const) await next.passes[pass]();
  await check();

  // What a receiver makes of it that ignores IDs it has seen.
  const heard = new Map(webhook.received.map(({ id, message }) => [id, message.type]));
  const [opened, resolved] = ['alert.opened', 'alert.resolved'];
  expect([...heard.values()]).toEqual([opened, resolved, opened, resolved, opened, resolved]);
  expect(new Set(webhook.received.map(({ message }) => message.data.alertId)).size).toBe(3);
});

it('tells of the next incident without delay, also if the webhook never took the former one', async () => {
  const webhook = await new Webhook().listen();
  ledger().beforeClose(() => webhook.close());
  const { clock } = ledger();
  const watch = watchOf(webhook);
  webhook.status = 500;
  // An hour of failures makes the pauses an hour long.
  for (const seconds of [0, 30, 900, 1_900, 3_900]) {
    clock.advance(seconds * 1_000);
    await watch.check();
  }
  const trigger = await ledger().trigger();
  await trigger.passes.heartbeat();
  await watch.check();
  clock.advance(120_000);
  await watch.check();
  clock.advance(30_000);
  await watch.check();
  webhook.status = 204;
  clock.advance(1_000);
  await watch.check();
  expect(webhook.told()).toEqual(['no_trigger alert.opened']);
});
