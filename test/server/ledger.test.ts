import { expect, it } from 'vitest';
import { useApi } from '../support/api';
import { someSchedule } from '../support/ledger';

const api = useApi();

/** Two schedules that missed two hours in a pause each, the second an hour later, and fired afterwards. */
async function pausedForHours() {
  const { ledger } = api();
  const trigger = await ledger.trigger();
  for (const [scheduleId, tenant] of [
    ['a', 'acme'],
    ['b', 'other'],
  ] as const) {
    const spec = { cron: '0 * * * *' };
    const handle = await ledger.client.create(someSchedule({ scheduleId, tenant, spec, state: { paused: true } }));
    ledger.clock.advance(2 * 3_600_000);
    await handle.unpause();
    await trigger.passes.claim();
  }
  ledger.clock.advance(3_600_000);
  await trigger.passes.claim();
  return trigger;
}

it('lists gaps of all schedules, what was written last first, page by page', async () => {
  await pausedForHours();
  const { ask } = api();
  const first = await ask({ url: '/v1/gaps?pageSize=1' });
  expect(first.body.gaps).toMatchObject([{ scheduleId: 'b', reason: 'paused', count: 2 }]);
  expect(first.headers.link).toMatch(/^<\/v1\/gaps\?pageSize=1&cursor=[\w-]+>; rel="next"$/);
  const second = await ask({ url: /<(.+)>/.exec(String(first.headers.link))![1]! });
  expect(second.body).toMatchObject({ gaps: [{ scheduleId: 'a', reason: 'paused', count: 2 }] });
  expect(second.headers.link).toBeUndefined();
  const ofOne = await ask({ url: '/v1/gaps?scheduleId=a&from=2026-03-01T00:00:00Z' });
  expect(ofOne.body.gaps).toHaveLength(1);
  expect((await ask({ url: '/v1/gaps?from=2027-01-01T00:00:00Z' })).body.gaps).toEqual([]);
});

it('lists firings of all schedules by state and kind, and refuses a filter that it does not know', async () => {
  await pausedForHours();
  const { ask } = api();
  const found = await ask({ url: '/v1/firings?state=claimed,linked&kind=catchup,schedule&order=oldest' });
  expect(found.body.firings.map(({ scheduleId }: { scheduleId: string }) => scheduleId)).toContain('a');
  expect(await ask({ url: '/v1/firings?sate=claimed' })).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'sate' }] },
  });
  expect(await ask({ url: '/v1/firings?state=lost' })).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'state[0]' }] },
  });
});

it('counts what is of its tenant alone, and shows its firings and gaps alone', async () => {
  await pausedForHours();
  const { ask, open } = api();
  const of = open({ tenant: 'acme' });
  const scheduleIds = async (url: string, field: string) => {
    const { body } = await ask({ of, url });
    return new Set(body[field].map(({ scheduleId }: { scheduleId: string }) => scheduleId));
  };
  expect(await scheduleIds('/v1/firings', 'firings')).toEqual(new Set(['a']));
  expect(await scheduleIds('/v1/gaps', 'gaps')).toEqual(new Set(['a']));
  const all = await ask({ url: '/v1/stats' });
  expect(all.body).toMatchObject({ missed: 4 });
  expect((await ask({ of, url: '/v1/stats' })).body).toMatchObject({ missed: 2 });
  expect((await ask({ url: '/v1/schedules/b/stats' })).body).toMatchObject({ missed: 2 });
  const nowhere = await ask({ of, url: '/v1/schedules/nowhere/stats' });
  expect((await ask({ of, url: '/v1/schedules/b/stats' })).body).toEqual(nowhere.body);
});

it('says which triggers are alive, and in which namespaces something waits', async () => {
  const trigger = await pausedForHours();
  await trigger.passes.heartbeat();
  const { ask } = api();
  const { body } = await ask({ url: '/v1/triggers' });
  expect(body.triggers).toMatchObject([
    { id: expect.any(String), host: expect.any(String), heartbeatAt: expect.any(String) },
  ]);
  const namespaces = await ask({ url: '/v1/namespaces' });
  expect(namespaces.body.namespaces).toMatchObject([{ namespace: 'default', awaySince: null, error: null }]);
  expect(namespaces.body.namespaces[0].waiting).toBeGreaterThan(0);
});

it('measures requests by their route, method and status, and not by what anybody makes up', async () => {
  const { ask, open } = api();
  const of = open();
  await ask({ of, url: '/v1/stats' });
  await ask({ of, url: '/v1/schedules/nowhere/stats' });
  await ask({ of, url: '/v1/made/up' });
  const requests = await of.context.metrics.registry.getSingleMetric('escapement_api_requests_total')!.get();
  expect(requests.values.map(({ labels, value }) => ({ ...labels, value }))).toEqual(
    expect.arrayContaining([
      { route: '/v1/stats', method: 'GET', status: 200, value: 1 },
      { route: 'none', method: 'GET', status: 404, value: 1 },
    ]),
  );
  const routes = requests.values.map(({ labels }) => labels.route);
  expect(routes).toContain('/v1/schedules/{scheduleId}/stats');
});
