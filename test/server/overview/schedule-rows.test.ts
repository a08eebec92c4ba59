import { expect, it } from 'vitest';
import { useApi } from '../../support/api';
import { fillDashboardLedger } from '../../support/dashboard/dashboard-ledger';

const api = useApi({}, '2026-03-05T06:40:00Z');

it('a row of the list says when a freeze and a pause end', async () => {
  const { ledger, ask } = api();
  const { client } = ledger;
  await fillDashboardLedger(ledger, new Date(ledger.clock.now()));
  const from = new Date('2026-03-05T06:00:00Z');
  const query = "scheduleId = 'fx-rates'";
  await client.freezes.create({ query, from, to: new Date('2026-03-05T09:00:00Z'), note: 'a release' });
  await client.freezes.create({
    scheduleIds: ['cleanup'],
    from: new Date('2026-03-05T08:00:00Z'),
    to: new Date('2026-03-05T09:00:00Z'),
  });
  await client.getHandle('hourly-sync').pause({ until: '2026-03-05T08:00:00Z' });
  const { rows } = (await ask({ url: '/v1/schedule-rows' })).body;
  const held = rows.flatMap(
    ({ scheduleId, frozen, state }: { scheduleId: string; frozen?: object; state: { pausedUntil?: string } }) =>
      frozen || state.pausedUntil ? [{ scheduleId, ...frozen, pausedUntil: state.pausedUntil }] : [],
  );
  expect(held).toEqual([
    { scheduleId: 'fx-rates', until: '2026-03-05T09:00:00.000Z' },
    { scheduleId: 'hourly-sync', pausedUntil: '2026-03-05T08:00:00.000Z' },
  ]);
});
