import { expect, it, onTestFinished, vi } from 'vitest';
import { createToken } from '../../server/access/tokens';
import { useApi } from '../support/api';
import { someSchedule } from '../support/ledger';

const HOUR = 3_600_000;

// These servers have the clocks that they have in production.
const api = useApi({ now: undefined });

/** From now on, the clock of this host is so far ahead of the ledger's. */
function hostAhead(milliseconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds });
  onTestFinished(() => void vi.useRealTimers());
}

/** From now on, the monotonic clock of this host lacks so much: it stood still while the host slept. */
function slept(milliseconds: number): void {
  const monotonic = performance.now.bind(performance);
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => monotonic() - milliseconds);
  onTestFinished(() => spy.mockRestore());
}

async function ledgerNow(): Promise<number> {
  const [row] = await api().ledger.query<{ now: Date }>('select clock_timestamp() as now');
  return row!.now.getTime();
}

function onTheSecond(milliseconds: number): number {
  return Math.floor(milliseconds / 1_000) * 1_000;
}

it.each([HOUR, -HOUR])('the overview judges by the ledger’s clock on a host that is %d ms ahead', async (ahead) => {
  const { ask, ledger } = api();
  const client = ledger.newClient({ now: undefined });
  const before = await ledgerNow();
  await client.create(someSchedule({ scheduleId: 'soon', spec: { at: new Date(onTheSecond(before + HOUR / 2)) } }));
  await client.create(someSchedule({ scheduleId: 'overdue' }));
  await ledger.query(
    `update escapement.timers set next_fire_at = t, wake_at = t, answered_to = t - interval '1 minute'
      from (select clock_timestamp() - interval '5 minutes' as t) x where schedule_id = 'overdue'`,
  );
  hostAhead(ahead);
  const { body } = await ask({ url: '/v1/overview' });
  expect(body).toMatchObject({ due: 1 });
  const now = Date.parse(body.now);
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(await ledgerNow());
  const { body: late } = await ask({ url: '/v1/schedule-rows?orderBy=late' });
  expect(late).toMatchObject({ rows: [{ scheduleId: 'overdue' }] });
});

it.each([HOUR, -HOUR])('a token ends by the ledger’s clock on a host that is %d ms ahead', async (ahead) => {
  const { ask, ledger } = api();
  hostAhead(ahead);
  const postgres = { connectionString: ledger.databaseUrl };
  const made = await createToken(postgres, { name: 'ci', scopes: ['read'], actor: 'test', expiresAfter: '1 minute' });
  const headers = { authorization: `Bearer ${made.token}` };
  expect(await ask({ url: '/v1/overview', headers })).toMatchObject({ status: 200 });
  await ledger.query(`update escapement.api_tokens set expires_at = clock_timestamp() - interval '1 minute'`);
  expect(await ask({ url: '/v1/overview', headers })).toMatchObject({ status: 401 });
});

it('the first request after the host slept is judged by the ledger’s clock, and so are all later ones', async () => {
  const { ask } = api();
  await ask({ url: '/v1/overview' });
  slept(HOUR);
  for (const request of ['first', 'second']) {
    const before = await ledgerNow();
    const { body } = await ask({ url: '/v1/overview' });
    // A reading counts from its arrival: until the next one, the estimate is behind by what its way back took.
    expect(Date.parse(body.now), request).toBeGreaterThan(before - HOUR / 2);
  }
});
