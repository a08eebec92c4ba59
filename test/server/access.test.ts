import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, it } from 'vitest';
import { PostgresUnreachableError, SchemaNotMigratedError } from '../../core/errors';
import { purge } from '../../owner/purge/purge';
import { serve } from '../../server';
import { createToken, endToken } from '../../server/access/tokens';
import type { Scope } from '../../server/caller';
import { operations } from '../../server/routes';
import { useApi } from '../support/api';
import { someSchedule } from '../support/ledger';

const api = useApi();
const URL = '/v1/schedules';

async function bearer(scopes: Scope[], more: { name?: string; tenant?: string; expiresAfter?: string } = {}) {
  const postgres = { connectionString: api().ledger.databaseUrl };
  const { name = scopes.join('-'), ...rest } = more;
  const { token } = await createToken(postgres, { name, scopes, actor: 'ops', ...rest });
  return { authorization: `Bearer ${token}` };
}

it('lets anybody on loopback do all while no token was ever made, and nobody without one from then on', async () => {
  const { ask, ledger } = api();
  expect(await ask({ url: URL })).toMatchObject({ status: 200 });
  const reader = await bearer(['read']);
  expect(await ask({ url: URL })).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
  expect(await ask({ url: URL, headers: reader })).toMatchObject({ status: 200 });
  await endToken({ connectionString: ledger.databaseUrl }, 'read', 'ops');
  expect(await ask({ url: URL, headers: reader })).toMatchObject({ status: 401 });
  expect(await ask({ url: URL })).toMatchObject({ status: 401 });
});

it('keeps the hash of a token alone, and lets none count after its end', async () => {
  const { ask, ledger } = api();
  const headers = await bearer(['read'], { expiresAfter: '1 hour' });
  const rows = await ledger.query('select to_jsonb(t)::text as row from escapement.api_tokens t');
  expect(JSON.stringify(rows)).not.toContain(headers.authorization.slice(-20));
  await ledger.query(`update escapement.api_tokens set expires_at = '2026-03-01T01:00:00Z'`);
  expect(await ask({ url: URL, headers })).toMatchObject({ status: 200 });
  ledger.clock.set('2026-03-01T01:00:00Z');
  expect(await ask({ url: URL, headers })).toMatchObject({ status: 401 });
});

it('every operation refuses whoever is not known, and a token without its scope', async () => {
  const { ask } = api();
  const scopes: Scope[] = ['read', 'write', 'operate', 'admin'];
  const without = new Map<Scope, Record<string, string>>();
  for (const scope of scopes)
    without.set(
      scope,
      await bearer(
        scopes.filter((one) => one !== scope),
        { name: scope },
      ),
    );
  for (const { method, path, operationId, scope } of operations) {
    const url = path.replace(/\{\w+\}/g, 'x');
    expect((await ask({ method, url })).status, operationId).toBe(401);
    expect((await ask({ method, url, headers: without.get(scope)! })).body, operationId).toMatchObject({
      status: 403,
      type: 'urn:escapement:problem:forbidden',
    });
  }
});

it('knows who asks before it reads what they send', async () => {
  const { ask, open } = api();
  const of = open({ requestsPerSecond: 1 });
  const reader = await bearer(['read']);
  const wrong = { of, body: '{"a":' };
  for (const { method, path, operationId } of operations.filter((one) => one.method !== 'GET')) {
    const request = { method, url: path.replace(/\{\w+\}/g, 'x'), ...wrong };
    expect((await ask(request)).status, operationId).toBe(401);
  }
  const post = { method: 'POST' as const, url: URL, ...wrong };
  expect(await ask({ ...post, url: '/nowhere' })).toMatchObject({ status: 404 });
  expect(await ask({ ...post, headers: reader })).toMatchObject({ status: 403 });
  const headers = await bearer(['write']);
  const statuses = [];
  for (let number = 0; number < 40; number++) statuses.push((await ask({ ...post, headers })).status);
  expect(statuses[0]).toBe(400);
  expect(statuses).toContain(429);
});

it('a token does what its one scope allows: reads zones and sources, applies a source, runs again', async () => {
  const { ask } = api();
  const [read, write, operate] = [await bearer(['read']), await bearer(['write']), await bearer(['operate'])];
  const apply = {
    method: 'PUT' as const,
    url: '/v1/sources/billing',
    // What is paused has no trigger's answer to wait for.
    body: { revision: 1, schedules: [someSchedule({ scheduleId: 'nightly', state: { paused: true } })] },
  };
  expect(await ask({ ...apply, headers: write })).toMatchObject({ status: 200, body: { created: ['nightly'] } });
  api().ledger.clock.advance(7_200_000);
  const again = { method: 'POST' as const, url: `${URL}/nightly/firings/2026-03-01T01:00:00Z/run-again` };
  expect(await ask({ ...again, headers: operate })).toMatchObject({ status: 201 });
  expect(await ask({ url: '/v1/sources', headers: read })).toMatchObject({
    status: 200,
    body: { sources: [{ source: 'billing' }] },
  });
  const zones = await ask({ url: '/v1/timezones', headers: read });
  expect(zones).toMatchObject({ status: 200, body: { timezones: expect.arrayContaining(['UTC', 'Europe/Berlin']) } });
  for (const { headers, request } of [
    { headers: read, request: apply },
    { headers: operate, request: apply },
    { headers: read, request: again },
    { headers: write, request: again },
    { headers: write, request: { url: '/v1/sources' } },
    { headers: operate, request: { url: '/v1/timezones' } },
  ]) {
    expect((await ask({ ...request, headers })).status, request.url).toBe(403);
  }
});

it('writes a row for each change, but no dry run, with who asked for it, from where and how it ended, for admins to read', async () => {
  const { ask } = api();
  const writer = await bearer(['write', 'operate'], { name: 'deploy' });
  await ask({ method: 'POST', url: URL, headers: writer, body: someSchedule({ scheduleId: 'nightly' }) });
  for (const id of ['nightly', 'never']) await ask({ method: 'POST', url: `${URL}/${id}/pause`, headers: writer });
  const dry = { url: '/v1/dead-letters/discard', body: { filter: { state: 'open' }, note: 'known', dryRun: true } };
  expect(await ask({ method: 'POST', headers: writer, ...dry })).toMatchObject({ status: 200 });
  const got = await ask({ url: '/v1/audit?pageSize=2', headers: await bearer(['admin']) });
  const row = { actor: 'deploy', token: 'deploy', tenant: null, address: '127.0.0.1' };
  expect(got.body.entries).toMatchObject([
    { ...row, operation: 'pauseSchedule', target: '/v1/schedules/never/pause', status: 404 },
    { ...row, operation: 'pauseSchedule', target: '/v1/schedules/nightly/pause', status: 200 },
  ]);
  const [, link] = /^<(.*)>/.exec(String(got.headers.link))!;
  const older = await ask({ url: link!, headers: await bearer(['admin'], { name: 'other' }) });
  expect(older.body.entries).toMatchObject([{ ...row, operation: 'createSchedule', status: 201 }]);
});

it('lets a token ask so often, and says when to try again', async () => {
  const { ask, open } = api();
  const of = open({ requestsPerSecond: 1 });
  const headers = await bearer(['read']);
  const statuses = [];
  for (let number = 0; number < 40; number++) statuses.push((await ask({ url: '/v1/timezones', headers, of })).status);
  expect(statuses.slice(0, 2)).toEqual([200, 200]);
  expect(statuses).toContain(429);
  expect(await ask({ url: '/v1/timezones', headers: await bearer(['read'], { name: 'other' }), of })).toMatchObject({
    status: 200,
  });
});

it('lets a token ask at any positive rate', async () => {
  const { ask, open } = api();
  const of = open({ requestsPerSecond: 0.1 });
  const headers = await bearer(['read']);
  expect((await ask({ url: '/v1/timezones', headers, of })).status).toBe(200);
  const refused = await ask({ url: '/v1/timezones', headers, of });
  expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': expect.stringMatching(/^([1-9]|10)$/) } });
});

it('answers what is too large, and what nobody foresaw, by a problem that tells nothing of itself, and lets no other page read it', async () => {
  const { ask, ledger } = api();
  const origin = { origin: 'https://elsewhere.test' };
  const large = { ...someSchedule(), memo: { of: 'x'.repeat(4 * 1024 * 1024) } };
  expect(await ask({ method: 'POST', url: URL, body: large })).toMatchObject({
    status: 413,
    body: { type: 'urn:escapement:problem:too-large' },
  });
  await ledger.query('alter table escapement.gaps rename column reason to gone');
  const failed = await ask({ url: '/v1/gaps', headers: origin });
  expect(failed.status).toBe(500);
  expect(failed.text).not.toMatch(/gone|reason|column|\.[jt]s:\d/);
  for (const { headers } of [failed, await ask({ url: URL, headers: origin })]) {
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
  const preflight = { ...origin, 'access-control-request-method': 'POST' };
  const answered = await api().open().app.inject({ method: 'OPTIONS', url: URL, headers: preflight });
  expect(answered.headers).not.toHaveProperty('access-control-allow-origin');
});

it('listens where others reach it only once it can tell who they are', async () => {
  const postgres = { connectionString: api().ledger.databaseUrl };
  const others = { ...postgres, port: 0, host: '0.0.0.0' };
  await expect(serve(others)).rejects.toThrow('escapement token create');
  const headers = await bearer(['read']);
  const server = await serve({ ...others, basePath: '/cron' });
  try {
    const { port } = new globalThis.URL(server.url);
    const got = await fetch(`http://127.0.0.1:${port}/cron/v1/schedules`, { headers });
    expect({ status: got.status, body: await got.json() }).toEqual({ status: 200, body: { schedules: [] } });
    expect((await fetch(`http://127.0.0.1:${port}/v1/schedules`, { headers })).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${port}/cron/healthz`)).status).toBe(200);
  } finally {
    await server.close();
  }
});

it('where others reach it, says that Postgres is away or not migrated, and does not ask for a token', async () => {
  const { databaseUrl: connectionString } = api().ledger;
  const others = { port: 0, host: '0.0.0.0' };
  const away = 'postgres://127.0.0.1:1/none';
  await expect(serve({ ...others, connectionString: away })).rejects.toThrow(PostgresUnreachableError);
  await expect(serve({ ...others, connectionString, schema: 'empty' })).rejects.toThrow(SchemaNotMigratedError);
});

it('still asks for a token after a purge of the tenant that had all of them, and after a restart', async () => {
  const { ask, ledger, open } = api();
  const postgres = { connectionString: ledger.databaseUrl };
  await createToken(postgres, { name: 'theirs', scopes: ['read'], actor: 'ops', tenant: 'acme' });
  expect(await ask({ url: URL })).toMatchObject({ status: 401 });
  await purge(postgres, { tenant: 'acme' }, { actor: 'ops', onProgress: () => undefined });
  expect(await ledger.query('select from escapement.api_tokens')).toEqual([]);
  expect(await ask({ url: URL })).toMatchObject({ status: 401 });
  expect(await ask({ url: URL, of: open({}) })).toMatchObject({ status: 401 });
});

it('takes the JWTs of its issuer, for its audience, with a tenant', async () => {
  const { ask, open } = api();
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] });
  const issuer: Server = createServer((_request, response) => response.end(keys));
  await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
  try {
    const jwksUrl = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/jwks`;
    const of = open({ oidc: { issuer: 'https://id.test', audience: 'cron', jwksUrl } });
    const jwt = (
      claims: object,
      changed: { aud?: string; key?: typeof privateKey; exp?: string; sub?: unknown } = {},
    ) =>
      new SignJWT({ scope: 'openid escapement:read escapement:write', tenant: 'a', ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'one' })
        .setIssuer('https://id.test')
        .setSubject((changed.sub ?? 'jane') as string)
        .setAudience(changed.aud ?? 'cron')
        .setExpirationTime(changed.exp ?? '1h')
        .sign(changed.key ?? privateKey);
    const post = async (token: string, scheduleId: string) =>
      ask({
        method: 'POST',
        url: URL,
        of,
        body: someSchedule({ scheduleId }),
        headers: { authorization: `Bearer ${token}` },
      });
    expect(await post(await jwt({}), 'mine')).toMatchObject({ status: 201, body: { tenant: 'a' } });
    expect(await post(await jwt({ scope: 'escapement:read' }), 'x')).toMatchObject({ status: 403 });
    const strangers = await generateKeyPair('ES256');
    for (const token of [
      await jwt({ tenant: undefined }),
      await jwt({}, { aud: 'other' }),
      await jwt({}, { key: strangers.privateKey }),
      await jwt({}, { exp: '-1h' }),
      await jwt({}, { sub: 42 }),
      'a.b.c',
    ]) {
      const detail = expect.stringContaining('does not accept the JWT');
      expect(await post(token, 'x')).toMatchObject({ status: 401, body: { detail } });
    }
    const detail = 'the token is not known, was revoked or has expired';
    expect(await post('no-jwt', 'x')).toMatchObject({ status: 401, body: { detail } });
    const ofAll = await jwt({ tenant: undefined, scope: 'escapement:write escapement:read escapement:all-tenants' });
    expect(await post(ofAll, 'any')).toMatchObject({ status: 201, body: { tenant: '' } });
    expect(await ask({ url: URL, of })).toMatchObject({ status: 401 });
  } finally {
    issuer.close();
  }
});

it('answers 503 to a JWT, not 401, while the issuer of the keys is away or answers with an error', async () => {
  const { ask, open } = api();
  const { privateKey } = await generateKeyPair('ES256');
  const jwt = await new SignJWT({ scope: 'escapement:read', tenant: 'a' })
    .setProtectedHeader({ alg: 'ES256', kid: 'one' })
    .setIssuer('https://id.test')
    .setSubject('jane')
    .setAudience('cron')
    .setExpirationTime('1h')
    .sign(privateKey);
  const answers = [
    { status: 503, body: '' },
    { status: 200, body: '<html>' },
    { status: 200, body: '{}' },
  ];
  const issuer: Server = createServer((_request, response) => {
    const { status, body } = answers.shift()!;
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
  const jwksUrl = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/jwks`;
  const of = open({ oidc: { issuer: 'https://id.test', audience: 'cron', jwksUrl } });
  const asked = () => ask({ url: URL, of, headers: { authorization: `Bearer ${jwt}` } });
  const away = {
    status: 503,
    headers: { 'retry-after': '2' },
    body: { type: 'urn:escapement:problem:issuer-unreachable' },
  };
  try {
    while (answers.length > 0) expect(await asked()).toMatchObject(away);
  } finally {
    await new Promise((resolve) => issuer.close(resolve));
  }
  expect(await asked()).toMatchObject(away);
});
