import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { Trigger } from '../../trigger';
import { certificateAuthority } from '../support/certificates';
import { runCli, spawnCommand } from '../support/child';
import { runCommand } from '../support/command';
import { temporaryFolder } from '../support/folder';
import { someSchedule, useLedger } from '../support/ledger';
import { temporalGateway } from '../support/temporal-tls';

const ledger = useLedger('2026-03-01T00:30:00Z');
const authority = certificateAuthority();
const ours = authority.client('trigger');

/** What a person sets, with the certificates in files. */
async function environmentOf(address: string, { withClient = true } = {}) {
  const folder = await temporaryFolder();
  const file = async (name: string, content: string) => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  return {
    DATABASE_URL: ledger().databaseUrl,
    TEMPORAL_ADDRESS: address,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: await file('ca.pem', authority.ca),
    ...(withClient && {
      TEMPORAL_TLS_CLIENT_CERT_PATH: await file('client.pem', ours.cert),
      TEMPORAL_TLS_CLIENT_KEY_PATH: await file('client.key', ours.key),
    }),
  };
}

it('a trigger starts a firing through mTLS, and says what to do where its certificate is missing, unknown or of another name', async () => {
  const { address } = await temporalGateway(authority, { clientCertificates: true });
  const serverRootCACertificate = Buffer.from(authority.ca);
  const clientCertPair = { crt: Buffer.from(ours.cert), key: Buffer.from(ours.key) };
  const tls = { serverRootCACertificate, clientCertPair };
  const { scheduleId } = await ledger().client.create(someSchedule());
  const trigger = await ledger().trigger({ connection: { address, tls } });
  ledger().clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
  expect(await ledger().firings(scheduleId)).toMatchObject([{ state: 'linked' }]);

  const refusal = (connection: object) =>
    Trigger.create({
      connectionString: ledger().databaseUrl,
      connection: { address, connectTimeout: 2_000, ...connection },
    }).then(
      () => 'taken',
      (error) => error.message,
    );
  expect(await refusal({ tls: { serverRootCACertificate } })).toMatch(
    /alert certificate required.*set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH$/,
  );
  expect(await refusal({ tls: { clientCertPair } })).toMatch(/self-signed.*set TEMPORAL_TLS_SERVER_CA_CERT_PATH to/);
  expect(await refusal({ tls: { ...tls, serverNameOverride: 'elsewhere' } })).toMatch(
    /altnames.*TEMPORAL_TLS_SERVER_NAME/,
  );
  expect(await refusal({})).toMatch(/set TEMPORAL_TLS=true if it expects TLS$/);
  expect(await refusal({ address: inject('temporalAddress'), tls: true })).toMatch(
    /wrong version number.*TEMPORAL_TLS=false/,
  );
});

it('commands reach Temporal by the certificates that its own variables name, and say what to do without', {
  timeout: 60_000,
}, async () => {
  const { address } = await temporalGateway(authority, { clientCertificates: true });
  const env = await environmentOf(address);
  const { scheduleId } = await ledger()
    .newClient({ now: undefined })
    .create(someSchedule({ state: { triggerImmediately: true } }));
  const running = runCli(['run'], env);
  await running.line(new RegExp(`"scheduleId":"${scheduleId}".*"msg":"linked"`));
  const audit = ['audit', '--native', '--from', '2026-01-01', '--to', '2026-01-02'];
  expect(await runCommand(audit, env)).toMatchObject({ code: 0 });
  expect((await runCommand(['doctor', '--json'], env)).stdout).not.toContain('temporal_unreachable');
  running.kill('SIGTERM');
  expect(await running.ended()).toEqual({ code: 0, signal: null });

  const without = await environmentOf(address, { withClient: false });
  const toDo = expect.stringMatching(
    /^escapement: Temporal cannot be reached at localhost:\d+ \(.*certificate required.*\); it asks for a client certificate that it knows: set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH$/,
  );
  expect(await spawnCommand(['run'], without)).toEqual({ code: 1, stdout: '', stderr: toDo });
  expect(await runCommand(audit, without)).toEqual({ code: 1, stdout: '', stderr: toDo });
  expect((await runCommand(['doctor'], without)).stdout).toMatch(
    /certificate required[\s\S]*set TEMPORAL_TLS_CLIENT_CERT_PATH/,
  );
});

it('an API key arrives as a bearer token with each call, is asked for anew by a function, and a wrong one is named', async () => {
  const gateway = await temporalGateway(authority, { apiKey: 'first' });
  const { address } = gateway;
  let apiKey = 'first';
  const tls = { serverRootCACertificate: Buffer.from(authority.ca) };
  await ledger().client.create(someSchedule());
  const trigger = await ledger().trigger({ connection: { address, tls, apiKey: () => apiKey } });
  gateway.expectKey('second');
  apiKey = 'second';
  ledger().clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
  expect(new Set(gateway.authorizations)).toEqual(new Set(['Bearer first', 'Bearer second']));

  const env = { ...(await environmentOf(address, { withClient: false })), TEMPORAL_NAMESPACE: '' };
  const audit = ['audit', '--native', '--from', '2026-01-01', '--to', '2026-01-02'];
  expect(await runCommand(audit, { ...env, TEMPORAL_API_KEY: 'second' })).toMatchObject({ code: 0 });
  expect(await runCommand(audit, { ...env, TEMPORAL_API_KEY: 'wrong' })).toEqual({
    code: 1,
    stdout: '',
    stderr: `escapement: Temporal at ${address} refuses the call (Request unauthorized.); check TEMPORAL_NAMESPACE, and TEMPORAL_API_KEY or the client certificate`,
  });
  await expect(ledger().trigger({ connection: { address, tls, apiKey: 'wrong' } })).rejects.toThrow(
    /refuses the call .*check TEMPORAL_NAMESPACE, and TEMPORAL_API_KEY/,
  );
  // Set to nothing, as a compose file leaves it, it is no key, and turns on no TLS.
  const plain = { TEMPORAL_ADDRESS: inject('temporalAddress'), TEMPORAL_API_KEY: '', TEMPORAL_TLS: '' };
  expect(await runCommand(audit, plain)).toMatchObject({ code: 0 });
});
