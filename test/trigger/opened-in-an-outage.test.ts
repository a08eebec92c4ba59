import { describe, expect, inject, it, vi } from 'vitest';
import { proxyOf } from '../support/connections/proxy';
import { everySecond, useLedger } from '../support/ledger';
import { runCli, spawnCommand } from '../support/processes/child';
import { certificateAuthority } from '../support/servers/certificates';
import { temporalGateway } from '../support/servers/temporal-tls';

const ledger = useLedger('2026-03-01T00:30:00Z');

describe('escapement run, started while Temporal does not answer,', () => {
  it.each(['cut', 'hang'] as const)(
    'claims, says why it is not ready, and starts once that answers (%s)',
    async (how) => {
      const proxy = await proxyOf(inject('temporalAddress'));
      proxy[how]();
      const { scheduleId } = await ledger().newClient({ now: undefined }).create(everySecond());
      const trigger = runCli(['run', '--metrics-port', '0'], {
        DATABASE_URL: ledger().databaseUrl,
        TEMPORAL_ADDRESS: proxy.address,
      });
      const { url } = JSON.parse(await trigger.line(/metrics are served/)) as { url: string };
      const page = async (path: string) => {
        const response = await fetch(new URL(path, url));
        return { status: response.status, text: await response.text() };
      };
      expect(JSON.parse(await trigger.line(/connect pass failed/))).toMatchObject({
        level: 40,
        error: expect.stringContaining(`Temporal cannot be reached at ${proxy.address}`),
      });
      await trigger.line(new RegExp(`"scheduleId":"${scheduleId}".*"msg":"claimed"`));
      expect(await page('/healthz')).toMatchObject({ status: 200 });
      expect(await page('/readyz')).toMatchObject({
        status: 503,
        text: expect.stringMatching(/Temporal has not answered .*cannot be reached at/),
      });

      proxy.restore();
      await trigger.line(new RegExp(`"scheduleId":"${scheduleId}".*"msg":"linked"`));
      await trigger.line(/connect pass works again/);
      await vi.waitFor(async () => expect(await page('/readyz')).toMatchObject({ status: 200 }), 60_000);
      trigger.kill('SIGTERM');
      expect(await trigger.ended()).toEqual({ code: 0, signal: null });
    },
  );

  it('stops at SIGTERM, leaves what it has claimed to others, and exits 0', async () => {
    const proxy = await proxyOf(inject('temporalAddress'));
    proxy.cut();
    await ledger().newClient({ now: undefined }).create(everySecond());
    const trigger = runCli(['run'], { DATABASE_URL: ledger().databaseUrl, TEMPORAL_ADDRESS: proxy.address });
    await trigger.line(/"msg":"claimed"/);
    trigger.kill('SIGTERM');
    expect(await trigger.ended()).toEqual({ code: 0, signal: null });
    expect(await ledger().query('select * from escapement.triggers')).toEqual([]);
    const states = await ledger().query('select distinct state from escapement.firings');
    expect(states).toEqual([{ state: 'claimed' }]);
  });

  it.each<[string, string[], Record<string, string>, RegExp]>([
    ['an address that is none', [], { TEMPORAL_ADDRESS: 'http://localhost:7233' }, /Invalid address for Temporal/],
    ['a port that is none', [], { TEMPORAL_ADDRESS: 'localhost:99999' }, /cannot be reached .*ERR_SOCKET_BAD_PORT/],
    [
      'a certificate that is not there',
      [],
      { TEMPORAL_ADDRESS: '127.0.0.1:1', TEMPORAL_TLS_CLIENT_CERT_PATH: '/nowhere/client.pem' },
      /configuration cannot be read .*nowhere/,
    ],
    ['an unknown option', ['--namespaces', 'x'], { TEMPORAL_ADDRESS: '127.0.0.1:1' }, /unknown option '--namespaces'/],
  ])('still fails at once over %s', async (_, args, env, says) => {
    const { code, stderr } = await spawnCommand(['run', ...args], { DATABASE_URL: ledger().databaseUrl, ...env });
    expect(code).toBeGreaterThan(0);
    expect(stderr).toMatch(says);
    expect(await ledger().query('select * from escapement.triggers')).toEqual([]);
  });

  it.each(['UNAUTHENTICATED', 'PERMISSION_DENIED'] as const)(
    'still fails at once where Temporal answers %s',
    async (refusal) => {
      const authority = certificateAuthority();
      const { address } = await temporalGateway(authority, { apiKey: 'right', refusal });
      const tls = { serverRootCACertificate: Buffer.from(authority.ca) };
      await expect(ledger().trigger({ connection: { address, tls, apiKey: 'wrong' } })).rejects.toThrow(
        /refuses the call .*check the namespace, and the API key$/,
      );
    },
  );
});
