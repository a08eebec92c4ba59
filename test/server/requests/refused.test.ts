import { type AddressInfo, connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { operations } from '../../../server/routes';
import { useApi } from '../../support/api';
import { bulkOf } from '../../support/bulk';
import { someSchedule } from '../../support/ledger';

const api = useApi();
const { serving, schedules } = bulkOf(api);

const withoutFields = operations.filter(({ method, body }) => method !== 'GET' && !body);

it('a change that takes no fields refuses each by its name, and nothing is undone, ended or deleted', async () => {
  const { ask, ledger } = api();
  await ledger.client.create(someSchedule({ scheduleId: 'nightly' }));
  expect(withoutFields.map(({ operationId }) => operationId)).toEqual(
    expect.arrayContaining(['undoOperation', 'cancelOperation', 'acknowledgeAlert', 'endFreeze', 'deleteSchedule']),
  );
  for (const { method, path, operationId } of withoutFields) {
    const url = `${path.replace(/\{\w+\}/g, 'nightly')}${operationId === 'deleteSchedule' ? '?force=true' : ''}`;
    const refused = await ask({ method, url, headers: { 'idempotency-key': operationId }, body: { dryRun: true } });
    expect(refused, operationId).toMatchObject({ status: 400, body: { errors: [{ path: 'dryRun' }] } });
  }
  expect((await ask({ url: '/v1/schedules/nightly' })).status).toBe(200);
  expect(await ledger.query('select from escapement.api_requests')).toEqual([]);
});

it.each([
  ['no body', undefined, {}],
  ['{}', '{}', { 'content-type': 'application/json' }],
  ['an empty body', undefined, { 'content-length': '0' }],
])('a change that takes no fields is carried out with %s', async (_, payload, headers) => {
  const { ledger } = api();
  await schedules(1);
  const { of, ask, done } = serving();
  const send = (method: 'POST' | 'DELETE', url: string) =>
    of.app.inject({ method, url, headers: { ...headers, 'idempotency-key': url }, ...(payload ? { payload } : {}) });
  const { freeze } = await ledger.client.freezes.create({ scheduleIds: ['s-00'], to: new Date('2027-01-01Z') });
  expect((await send('POST', `/v1/freezes/${freeze.freezeId}/end`)).statusCode).toBe(200);
  const { body } = await ask('/v1/bulk/pause', { filter: { all: true } });
  await done(body.operationId);
  expect((await send('POST', `/v1/operations/${body.operationId}/cancel`)).statusCode).toBe(200);
  expect((await send('POST', `/v1/operations/${body.operationId}/undo`)).statusCode).toBe(202);
  expect((await send('DELETE', '/v1/schedules/s-00?force=true')).statusCode).toBe(200);
});

it('a request is a dry run in the audit log only if its operation has that option', async () => {
  const { ask } = api();
  const body = { ...someSchedule(), dryRun: true };
  expect(await ask({ method: 'POST', url: '/v1/schedules', body })).toMatchObject({ status: 400 });
  const apply = { revision: 1, schedules: [], dryRun: true };
  expect(await ask({ method: 'PUT', url: '/v1/sources/billing', body: apply })).toMatchObject({ status: 200 });
  const { entries } = (await ask({ url: '/v1/audit' })).body;
  expect(entries).toEqual([expect.objectContaining({ operation: 'createSchedule', status: 400 })]);
});

it.each([
  ['/v1/schedules/100%', 400, 'bad-request'],
  [`/v1/schedules/${'x'.repeat(1_001)}`, 414, 'too-large'],
])('an address that cannot be read gets a problem too', async (url, status, kind) => {
  const { ask } = api();
  const refused = await ask({ url });
  expect(refused).toMatchObject({
    status,
    headers: { 'content-type': expect.stringContaining('application/problem+json'), 'cache-control': 'no-store' },
    body: { type: `urn:escapement:problem:${kind}`, status, title: expect.any(String), detail: expect.any(String) },
  });
});

const DAY = 'from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z';

it.each([
  ['scheduleId', '/v1/schedules/%00'],
  ['scheduleId', '/v1/schedules/%00/calendar'],
  ['scheduleId[0]', '/v1/strips?scheduleId=a%00b'],
  ['text', `/v1/agenda?${DAY}&text=a%00b`],
  ['namespace', `/v1/agenda?${DAY}&namespace=a%00b`],
  ['taskQueue', `/v1/agenda?${DAY}&taskQueue=a%00b`],
  ['text', '/v1/schedule-rows?orderBy=failing&text=a%00b'],
])('a %s with a character that Postgres refuses is a mistake of the request: %s', async (path, url) => {
  const message = 'has characters that cannot be stored';
  expect(await api().ask({ url })).toMatchObject({ status: 400, body: { errors: [{ path, message }] } });
});

it('an invented token is told how to create one, as long as the ledger has had none', async () => {
  const headers = { authorization: 'Bearer invented' };
  expect(await api().ask({ url: '/v1/schedules', headers })).toMatchObject({
    status: 401,
    body: { detail: expect.stringContaining("'escapement token create'") },
  });
});

it.each([
  ['is not HTTP', 400, 'bad-request', 'hello\r\n\r\n'],
  ['has too many headers', 431, 'too-large', `GET / HTTP/1.1\r\nx: ${'x'.repeat(17_000)}\r\n\r\n`],
  ['did not arrive in time', 408, 'request-timeout', undefined],
])('a request that %s gets a problem too', async (_, status, kind, sent) => {
  const { app } = api().open();
  await app.listen({ port: 0, host: '127.0.0.1' });
  const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  if (sent === undefined) app.server.on('connection', (socket) => app.server.emit('clientError', late, socket));
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  if (sent !== undefined) client.write(sent);
  const [head, body] = (await readText(client)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*^content-type: application/problem\\+json`, 'im'));
  expect(JSON.parse(body!)).toEqual({
    ...{ type: `urn:escapement:problem:${kind}`, status },
    ...{ title: expect.any(String), detail: expect.any(String) },
  });
});
