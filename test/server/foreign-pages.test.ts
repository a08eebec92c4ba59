import { expect, it } from 'vitest';
import { SchemaNotMigratedError } from '../../core/errors';
import { serve } from '../../server';
import { createToken } from '../../server/access/tokens';
import { useApi } from '../support/api';
import { someSchedule } from '../support/ledger';
import { statusUnder } from '../support/named-host';
import { runCli } from '../support/processes/child';

const api = useApi();
const URL = '/v1/schedules';

async function bearer() {
  const postgres = { connectionString: api().ledger.databaseUrl };
  const { token } = await createToken(postgres, { name: 'operator', scopes: ['operate'], actor: 'ops' });
  return { authorization: `Bearer ${token}` };
}

const foreign = { status: 403, body: { type: 'urn:escapement:problem:foreign-page' } };

it('without tokens does nothing for a web page of another site, and answers only requests that name this machine', async () => {
  const { ask } = api();
  await ask({ method: 'POST', url: URL, body: someSchedule({ scheduleId: 'nightly' }) });
  const pause = (headers: Record<string, string>) => ask({ method: 'POST', url: `${URL}/nightly/pause`, headers });
  expect(await pause({ 'sec-fetch-site': 'cross-site', origin: 'https://elsewhere.test' })).toMatchObject(foreign);
  expect(await pause({ 'sec-fetch-site': 'same-site', origin: 'http://localhost:8233' })).toMatchObject(foreign);
  expect(await pause({ origin: 'https://elsewhere.test' })).toMatchObject(foreign);
  expect(await pause({ origin: 'null' })).toMatchObject(foreign);
  for (const host of ['elsewhere.test', '10.0.0.7:8080', '127.0.0.1.elsewhere.test']) {
    expect(await ask({ url: URL, headers: { host } }), host).toMatchObject(foreign);
  }
  expect(await ask({ url: `${URL}/nightly` })).toMatchObject({ body: { state: { paused: false } } });
  for (const host of [
    'localhost:8080',
    '127.0.0.1:8080',
    '[::1]:8080',
    'cron.localhost',
    'host.docker.internal:8080',
  ]) {
    const own = { host, origin: `http://${host}` };
    expect(await pause(own), host).toMatchObject({ status: 200 });
    expect(await pause({ ...own, 'sec-fetch-site': 'same-origin' })).toMatchObject({ status: 200 });
  }
  const headers = { host: 'cron.test', origin: 'https://cron.test', ...(await bearer()) };
  expect(await pause(headers)).toMatchObject({ status: 200 });
});

it('without tokens answers requests under the names of a proxy that were allowed, and changes of their pages, and under no other', async () => {
  const { ask, open } = api();
  await ask({ method: 'POST', url: URL, body: someSchedule({ scheduleId: 'nightly' }) });
  const of = open({ allowedHosts: ['Cron.Test', 'other.test:8443'] });
  const pause = (headers: Record<string, string>) => ask({ method: 'POST', url: `${URL}/nightly/pause`, headers, of });
  const allowed: Record<string, string>[] = [
    { host: 'cron.test' },
    { host: 'cron.test.:8080', origin: 'https://other.test:8443' },
    // A proxy replaces the host. The browser does not say whose page it is, as the page came over plain HTTP.
    { host: 'localhost:8080', origin: 'http://cron.test' },
    { host: 'cron.test:8000', origin: 'http://cron.test:8000' },
    { host: 'cron.test', origin: 'https://cron.test', 'sec-fetch-site': 'same-origin' },
  ];
  for (const headers of allowed) {
    expect(await pause(headers), JSON.stringify(headers)).toMatchObject({ status: 200 });
  }
  const refused: Record<string, string>[] = [
    { host: 'www.cron.test' },
    { host: 'cron.test', origin: 'https://elsewhere.test' },
    { host: 'cron.test', origin: 'https://cron.test', 'sec-fetch-site': 'cross-site' },
    { host: 'localhost:8080', origin: 'null' },
    // Another server of the same host.
    { host: 'cron.test', origin: 'http://cron.test:9000' },
    { host: 'localhost:8080', origin: 'http://other.test' },
  ];
  for (const headers of refused) {
    expect(await pause(headers), JSON.stringify(headers)).toMatchObject(foreign);
  }
  expect((await ask({ url: URL, headers: { host: 'cron.test' } })).body.detail).toContain("by '--allow-host'");
  const postgres = { connectionString: api().ledger.databaseUrl };
  for (const name of ['http://cron.test', 'cron.test:', 'cron.test:65536', 'cron.test/path']) {
    const serving = serve({ ...postgres, port: 0, allowedHosts: [name] });
    await expect(serving, name).rejects.toThrow('is not the name of a host');
  }
});

it('with requireToken starts on loopback only once callers must say who they are', async () => {
  const serving = { connectionString: api().ledger.databaseUrl, port: 0, requireToken: true };
  await expect(serve(serving)).rejects.toThrow("requireToken: nothing says who may do what: make a token ('escapement");
  await expect(serve({ ...serving, schema: 'empty' })).rejects.toThrow(SchemaNotMigratedError);
  const oidc = { issuer: 'https://id.test', audience: 'cron', jwksUrl: 'https://id.test/jwks' };
  const withIssuer = await serve({ ...serving, oidc });
  await withIssuer.close();
  await bearer();
  const withToken = await serve(serving);
  await withToken.close();
  expect([withIssuer.asksWho, withToken.asksWho]).toEqual([true, true]);
});

it('escapement serve --require-token refuses to start without a token', async () => {
  const serving = runCli(['serve', '--port', '0', '--require-token'], { DATABASE_URL: api().ledger.databaseUrl });
  expect(await serving.ended()).toMatchObject({ code: 1 });
  expect(serving.errors.join('\n')).toContain('escapement token create');
});

it('escapement serve allows the hosts of --allow-host', async () => {
  const flags = ['--allow-host', 'cron.test', '--allow-host', 'other.test'];
  const serving = runCli(['serve', '--port', '0', '--json', ...flags], { DATABASE_URL: api().ledger.databaseUrl });
  const { url } = JSON.parse(await serving.line(/"url"/));
  const hosts = ['cron.test', 'other.test', 'elsewhere.test'];
  expect(await Promise.all(hosts.map((host) => statusUnder(host, `${url}${URL}`)))).toEqual([200, 200, 403]);
  serving.kill('SIGTERM');
  expect(await serving.ended()).toMatchObject({ code: 0 });
});
