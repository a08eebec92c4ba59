import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Trigger } from '../../trigger';
import { alertsAt, running, writeFiring } from '../support/alerts/alerts';
import { Webhook } from '../support/alerts/webhook';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:00:00Z');
const SECRET = `whsec_${Buffer.alloc(32, 'a').toString('base64')}`;
let webhook: Webhook;
let trigger: Trigger;

beforeEach(async () => {
  webhook = await new Webhook().listen();
  trigger = await ledger().trigger({ alerts: { webhooks: [{ url: webhook.url, secret: SECRET }] } });
  await trigger.passes.alert();
});
afterEach(() => webhook.close());

const stall = (stalled: string | null) => ledger().query('update escapement.firings set stalled = $1', [stalled]);
/** So many schedules at once are stalled, and all the others are not. */
const stallOnly = (which: string) =>
  ledger().query(
    `update escapement.firings set stalled = case when substr(schedule_id, 2)::int ${which} then 'no_worker' end`,
  );
const opened = (time: string) => alertsAt(trigger.passes, ledger().clock, `2026-03-01T${time}Z`);

/** Let so many schedules each have a workflow that runs. */
async function create(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await ledger().client.create(someSchedule({ scheduleId: `s${n}` }));
    await writeFiring(ledger(), '2026-03-01T00:00:00Z', { schedule_id: `s${n}`, ...running('2026-03-01T00:00:00Z') });
  }
  await ledger().query(`update escapement.timers set wake_at = '2026-03-09', next_fire_at = '2026-03-09'`);
}

describe('after the clock of the database has stepped back by half an hour', () => {
  it.each([
    ['of one schedule', 1, 's0'],
    ['of so many schedules that one alert counts them', 21, null],
  ])('a problem opens an alert again, and it is sent: %s', async (_, count, subject) => {
    await create(count);
    for (const time of ['00:50:00', '00:20:00']) {
      await stall('no_worker');
      expect(await opened(time)).toEqual([`stalled of ${subject}`]);
      await trigger.passes.sendAlerts();
      await stall(null);
      // The alert that counts others is over one pass after them.
      for (const second of ['05', '10']) await opened(`${time.slice(0, 5)}:${second}`);
      await trigger.passes.sendAlerts();
    }
    const told = webhook.told().filter((one) => one.startsWith('stalled'));
    expect(told).toEqual(Array(2).fill(['stalled alert.opened', 'stalled alert.resolved']).flat());
  });
});

it('after the clock has stepped back by seconds, one alert counts many new problems though such an alert was resolved later', async () => {
  await create(42);
  await stallOnly('< 21');
  expect(await opened('00:50:30')).toEqual(['stalled of null']);
  await stall(null);
  for (const time of ['00:50:35', '00:50:40']) await opened(time);
  await stallOnly('>= 21');
  expect(await opened('00:50:10')).toEqual(['stalled of null']);
});
