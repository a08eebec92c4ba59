import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LedgerOutage } from '../../alerts/ledger-outage';
import { Webhook } from '../support/alerts/webhook';

const INSTALLATION = randomUUID();
const SECRET = `whsec_${Buffer.alloc(32, 'k').toString('base64')}`;
const ALIVE_SINCE = new Date('2026-03-01T00:00:00Z');
let webhook: Webhook;

beforeEach(async () => {
  webhook = await new Webhook().listen();
});
afterEach(() => webhook.close());

/** What a trigger knows after a heartbeat, as long as one of the triggers is alive and nobody records an outage. */
function trigger(): LedgerOutage {
  const outage = new LedgerOutage(INSTALLATION);
  outage.over(ALIVE_SINCE, { outages: 3, aliveSince: ALIVE_SINCE });
  return outage;
}

/** Let a trigger report an outage that it has seen since `time`. @returns the alert's ID and the message's */
async function report(outage: LedgerOutage, time: string) {
  const since = new Date(time);
  outage.failed(since, 'no route to host');
  const told = await outage.tell({ url: webhook.url, secret: SECRET }, () => new Date(since.getTime() + 30_000));
  expect(told).toEqual({ told: true });
  const { id, message } = webhook.received.at(-1)!;
  return [message.data.alertId, id];
}

it('an outage that one trigger alone saw before it ended is another alert than a later outage', async () => {
  const [ended, other] = [trigger(), trigger()];
  const [alertId, messageId] = await report(ended, '2026-03-01T10:00:00Z');
  const later = await report(other, '2026-03-01T11:00:00Z');
  expect(later).not.toContain(alertId);
  expect(later).not.toContain(messageId);
});

it('triggers that see an outage some seconds apart report one alert, also at a full hour', async () => {
  const first = await report(trigger(), '2026-03-01T09:59:58Z');
  expect(await report(trigger(), '2026-03-01T10:00:03Z')).toEqual(first);
});
