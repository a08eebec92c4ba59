import { expect, it } from 'vitest';
import { purge } from '../../owner/purge/purge';
import { onceByKey } from '../../server/plugins/idempotency';
import { takeKey } from '../../store/api/requests';
import { useApi } from '../support/api';
import { gate } from '../support/leases/lease-activities';
import { someSchedule } from '../support/ledger';

const api = useApi();
const URL = '/v1/schedules';

it('carries a request with a key out once, and answers it as before', async () => {
  const { ask, ledger } = api();
  await ask({ method: 'POST', url: URL, body: someSchedule({ scheduleId: 'nightly' }) });
  const trigger = (headers: Record<string, string>, body: object = {}) =>
    ask({ method: 'POST', url: `${URL}/nightly/trigger`, headers, body });
  const key = { 'idempotency-key': 'one' };
  const first = await trigger(key);
  const again = await trigger(key);
  expect(again).toMatchObject({ status: 201, body: first.body, headers: { 'idempotent-replayed': 'true' } });
  expect(await ledger.firings('nightly')).toHaveLength(1);
  expect(await trigger(key, { args: [1] })).toMatchObject({ status: 422 });
  expect(await trigger({ 'idempotency-key': 'two' })).toMatchObject({ status: 201 });
  expect(await ledger.firings('nightly')).toHaveLength(2);
  expect(await trigger({ 'idempotency-key': 'a key' })).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'Idempotency-Key' }] },
  });
});

it('carries an edit with a key out once: a retry with the same If-Match gets the first answer, and no 412', async () => {
  const { ask } = api();
  await ask({ method: 'POST', url: URL, body: someSchedule({ scheduleId: 'nightly' }) });
  const url = `${URL}/nightly`;
  const { etag } = (await ask({ url })).headers;
  const body = { spec: { cron: '9 * * * *' } };
  const send = (method: 'PATCH' | 'PUT' | 'DELETE', match: unknown, key = 'one') =>
    ask({
      method,
      url,
      headers: { 'idempotency-key': key, 'if-match': String(match) },
      ...(method === 'DELETE' ? {} : { body }),
    });
  const first = await send('PATCH', etag);
  expect(first).toMatchObject({ status: 200, body: { info: { version: 2 } } });
  const again = await send('PATCH', etag);
  const { etag: now } = first.headers;
  expect(again).toMatchObject({ status: 200, body: first.body, headers: { etag: now, 'idempotent-replayed': 'true' } });
  expect(await send('PATCH', now)).toMatchObject({ status: 422 });
  expect(await send('PUT', etag)).toMatchObject({ status: 422 });
  expect(await send('PATCH', etag, 'two')).toMatchObject({ status: 412 });
  const deleted = await send('DELETE', now, 'three');
  expect(deleted).toMatchObject({ status: 200 });
  expect(await send('DELETE', now, 'three')).toMatchObject({ status: 200, body: deleted.body });
});

it('answers 409 while the request with the key is under way, and gives a key back that did nothing', async () => {
  const { ask, open } = api();
  const create = (key: string) =>
    ask({
      method: 'POST',
      url: URL,
      headers: { 'idempotency-key': key },
      body: someSchedule({ scheduleId: 'nightly' }),
    });
  const own = { caller: JSON.stringify(['api', null]), key: 'taken' };
  const { store } = open().context;
  expect((await create('taken')).status).toBe(201);
  await ask({ method: 'DELETE', url: `${URL}/nightly?force=true` });
  await api().ledger.query('update escapement.api_requests set status = null, body = null');
  expect((await takeKey(store, own, '')).former?.status).toBe(null);
  expect(await create('taken')).toMatchObject({
    status: 409,
    body: { type: 'urn:escapement:problem:request-under-way' },
  });
  expect((await create('new')).status).toBe(201);
  expect((await create('refused')).status).toBe(409);
  await ask({ method: 'DELETE', url: `${URL}/nightly?force=true` });
  expect((await create('refused')).status).toBe(201);
});

it('carries a request out once although its stored answer was emptied by the purge of a schedule that it names', async () => {
  const { ask, ledger } = api();
  const postgres = { connectionString: ledger.databaseUrl };
  for (const scheduleId of ['nightly', 'default'])
    await ask({ method: 'POST', url: URL, body: someSchedule({ scheduleId }) });
  const trigger = () =>
    ask({ method: 'POST', url: `${URL}/nightly/trigger`, headers: { 'idempotency-key': 'one' }, body: {} });
  const purged = () => purge(postgres, { scheduleId: 'default' }, { actor: 'dpo', onProgress: () => undefined });
  expect((await trigger()).body).toMatchObject({ namespace: 'default' });
  await purged();
  expect(await trigger()).toMatchObject({ status: 409, body: { type: 'urn:escapement:problem:answer-erased' } });
  expect(await ledger.firings('nightly')).toHaveLength(1);
  // A later answer that has the ID as another name makes no schedule known.
  await ask({ method: 'POST', url: `${URL}/nightly/trigger`, headers: { 'idempotency-key': 'two' }, body: {} });
  await expect(purged()).rejects.toMatchObject({ name: 'InvalidOptionError' });
});

it('carries a request out again whose answer was 5xx: its key is free at once', async () => {
  const { ask, ledger } = api();
  await ask({ method: 'POST', url: URL, body: someSchedule({ scheduleId: 'nightly' }) });
  const trigger = () =>
    ask({ method: 'POST', url: `${URL}/nightly/trigger`, headers: { 'idempotency-key': 'one' }, body: {} });
  await ledger.query('alter table escapement.firings rename to lost');
  expect(await trigger()).toMatchObject({ status: 503 });
  await ledger.query('alter table escapement.lost rename to firings');
  expect(await trigger()).toMatchObject({ status: 201 });
  expect(await trigger()).toMatchObject({ status: 201, headers: { 'idempotent-replayed': 'true' } });
  expect(await ledger.firings('nightly')).toHaveLength(1);
});

it('takes over the key of a request whose server died, once no request can still be under way', async () => {
  const { ask, ledger } = api();
  const create = (scheduleId: string) =>
    ask({ method: 'POST', url: URL, headers: { 'idempotency-key': 'one' }, body: someSchedule({ scheduleId }) });
  await create('nightly');
  await ask({ method: 'DELETE', url: `${URL}/nightly?force=true` });
  const diedBefore = (minutes: number) =>
    ledger.query(
      `update escapement.api_requests set status = null, body = null, created_at = now() - make_interval(mins => $1)`,
      [minutes],
    );
  await diedBefore(5);
  expect(await create('nightly')).toMatchObject({ status: 409 });
  await diedBefore(11);
  expect(await create('other')).toMatchObject({ status: 422 });
  expect(await create('nightly')).toMatchObject({ status: 201 });
  expect(await create('nightly')).toMatchObject({ status: 201, headers: { 'idempotent-replayed': 'true' } });
});

it.each(['answer', 'failure'])(
  'the late %s of a request leaves its key to the retry that took it over',
  async (late) => {
    const { context: server } = api().open();
    const caller = { actor: 'api', token: undefined, tenant: undefined, scopes: new Set([]), address: '' };
    const send = (carryOut: () => Promise<string>) =>
      onceByKey(
        { method: 'POST', headers: { 'idempotency-key': 'one' }, url: URL, body: {}, server, caller },
        async () => ({
          status: 201,
          body: await carryOut(),
        }),
      );
    const [begun, goOn] = [gate(), gate()];
    const first = send(async () => {
      begun.open();
      await goOn.promise;
      if (late === 'failure') throw new Error('late');
      return 'of the first';
    }).catch(() => undefined);
    await begun.promise;
    await api().ledger.query(`update escapement.api_requests set created_at = created_at - interval '11 minutes'`);
    const retry = await send(async () => {
      goOn.open();
      await first;
      return 'of the retry';
    });
    expect(retry.body).toBe('of the retry');
    expect(await send(async () => 'of a third')).toMatchObject({
      body: 'of the retry',
      headers: { 'idempotent-replayed': 'true' },
    });
  },
);

it('carries a request out again a day later, also one with other content, although no trigger has deleted its key', async () => {
  const { ask, ledger } = api();
  await ask({ method: 'POST', url: URL, body: someSchedule({ scheduleId: 'nightly' }) });
  const trigger = (body: object) =>
    ask({ method: 'POST', url: `${URL}/nightly/trigger`, headers: { 'idempotency-key': 'one' }, body });
  const pass = (time: string) =>
    ledger.query('update escapement.api_requests set created_at = created_at - $1::interval', [time]);
  const first = await trigger({});
  await pass('23 hours');
  expect((await trigger({})).body).toEqual(first.body);
  await pass('61 minutes');
  const second = await trigger({ args: [1] });
  expect(second).toMatchObject({ status: 201 });
  expect(second.headers).not.toHaveProperty('idempotent-replayed');
  expect(await trigger({ args: [1] })).toMatchObject({ body: second.body, headers: { 'idempotent-replayed': 'true' } });
  expect(await trigger({})).toMatchObject({ status: 422 });
  expect(await ledger.firings('nightly')).toHaveLength(2);
});
