import { expect, it } from 'vitest';
import { TriggerWatch } from '../../server/watch-triggers';
import { Webhook } from '../support/alerts/webhook';
import { useLedger } from '../support/ledger';
import { MemoryLogger } from '../support/logger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const SECRET = `whsec_${Buffer.alloc(24).toString('base64')}`;

it('tells each webhook once that no trigger is alive, again until it takes it, and once when one is', async () => {
  const webhook = await new Webhook().listen();
  ledger().beforeClose(() => webhook.close());
  const { client, clock } = ledger();
  const now = () => new Date(clock.now());
  const webhooks = [{ url: webhook.url, secret: SECRET }];
  const watch = new TriggerWatch({ client, webhooks, logger: new MemoryLogger(), now });
  await watch.check();
  clock.advance(29_000);
  await watch.check();
  expect(webhook.told()).toEqual([]);
  clock.advance(1_000);
  webhook.status = 500;
  await watch.check();
  expect(webhook.told()).toEqual([]);
  webhook.status = 204;
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
