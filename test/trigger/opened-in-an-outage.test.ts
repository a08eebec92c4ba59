import { describe, expect, inject, it } from 'vitest';
import { proxyOf } from '../support/connections/proxy';
import { everySecond, useLedger } from '../support/ledger';
import { runCli } from '../support/processes/child';
import { runCommand } from '../support/processes/command';
import { certificateAuthority } from '../support/servers/certificates';
import { temporalGateway } from '../support/servers/temporal-tls';
import { startInAnOutage } from './outage';

const ledger = useLedger('2026-03-01T00:30:00Z');

describe('escapement run, started while Temporal does not answer,', () => {
  it('claims, says why it is not ready, and starts once that answers', async () => {
    await startInAnOutage(ledger(), 'cut');
  });

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
    [
      'a certificate that is not there',
      [],
      { TEMPORAL_ADDRESS: '127.0.0.1:1', TEMPORAL_TLS_CLIENT_CERT_PATH: '/nowhere/client.pem' },
      /configuration cannot be read .*nowhere/,
    ],
    ['an unknown option', ['--namespaces', 'x'], { TEMPORAL_ADDRESS: '127.0.0.1:1' }, /unknown option '--namespaces'/],
  ])('still fails at once over %s', async (_, args, env, says) => {
    const { code, stderr } = await runCommand(['run', ...args], { DATABASE_URL: ledger().databaseUrl, ...env });
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
