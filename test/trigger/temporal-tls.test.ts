import { expect, inject, it } from 'vitest';
import { temporaryFile } from '../support/folder';
import { someSchedule, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';
import { certificateAuthority } from '../support/servers/certificates';
import { temporalGateway } from '../support/servers/temporal-tls';

const ledger = useLedger('2026-03-01T00:30:00Z');
const authority = certificateAuthority();
const ours = authority.client('trigger');

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

  // Side by side: each tries for all of its time, which a busy machine may need for one handshake.
  const open = (connection: object) =>
    ledger().trigger({ connection: { address, connectTimeout: 10_000, ...connection } });
  const refusal = (connection: object) =>
    open(connection).then(
      () => 'taken',
      (error) => error.message,
    );
  const [refusals, withoutTls] = await Promise.all([
    Promise.all([
      refusal({ tls: { serverRootCACertificate } }),
      refusal({ tls: { clientCertPair } }),
      refusal({ tls: { ...tls, serverNameOverride: 'elsewhere' } }),
      refusal({ address: inject('temporalAddress'), tls: true }),
    ]),
    open({}),
  ]);
  expect(refusals).toEqual([
    expect.stringMatching(
      /alert certificate required.*set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH$/,
    ),
    expect.stringMatching(/self-signed.*set TEMPORAL_TLS_SERVER_CA_CERT_PATH to/),
    expect.stringMatching(/altnames.*TEMPORAL_TLS_SERVER_NAME/),
    expect.stringMatching(/wrong version number.*TEMPORAL_TLS=false/),
  ]);
  // Without TLS the connection ends without a reason, as in an outage, so such a trigger waits.
  expect(withoutTls.health().reasons).toContainEqual(expect.stringMatching(/set TEMPORAL_TLS=true if it expects TLS$/));
});

it('an API key arrives as a bearer token with each call, is asked for again by a function, and a wrong one is named', async () => {
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

  const ca = await temporaryFile('ca.pem', authority.ca);
  const env = { TEMPORAL_ADDRESS: address, TEMPORAL_TLS_SERVER_CA_CERT_PATH: ca, TEMPORAL_NAMESPACE: '' };
  const audit = ['audit', '--native', '--from', '2026-01-01', '--to', '2026-01-02'];
  expect(await runCommand(audit, { ...env, TEMPORAL_API_KEY: 'second' })).toMatchObject({ code: 0 });
  expect(await runCommand(audit, { ...env, TEMPORAL_API_KEY: 'wrong' })).toEqual({
    code: 1,
    stdout: '',
    stderr: `escapement: Temporal at ${address} refuses the call (Request unauthorized.); check TEMPORAL_NAMESPACE, and TEMPORAL_API_KEY`,
  });
  await expect(ledger().trigger({ connection: { address, tls, apiKey: 'wrong' } })).rejects.toThrow(
    /refuses the call .*check the namespace, and the API key$/,
  );
  // Set to nothing, as a compose file leaves it, it is no key, and turns on no TLS.
  const plain = { TEMPORAL_ADDRESS: inject('temporalAddress'), TEMPORAL_API_KEY: '', TEMPORAL_TLS: '' };
  expect(await runCommand(audit, plain)).toMatchObject({ code: 0 });
});

it('advice about a key names where the key is: a variable, or the profile in force, or the profile of a namespace', async () => {
  const { address } = await temporalGateway(authority, { apiKey: 'first' });
  const ca = await temporaryFile('ca.pem', authority.ca);
  const profile = (name: string, key: string) =>
    `[profile.${name}]\naddress = "${address}"\napi_key = "${key}"\nnamespace = "x"\ntls.server_ca_cert_path = "${ca}"\n`;
  const toml = ['default', 'cloud', 'billing'].map((name) => profile(name, 'wrong')).join('');
  const file = { TEMPORAL_CONFIG_FILE: await temporaryFile('temporal.toml', toml) };
  const refusal = async (args: string[], env: Record<string, string>) => (await runCommand(args, env)).stderr;
  const audit = ['audit', '--native', '--from', '2026-01-01', '--to', '2026-01-02'];
  expect(await refusal(audit, file)).toMatch(
    /; check the namespace of the profile 'default', and the api_key of the profile 'default'$/,
  );
  expect(await refusal(audit, { ...file, TEMPORAL_PROFILE: 'cloud', TEMPORAL_NAMESPACE: 'y' })).toMatch(
    /; check TEMPORAL_NAMESPACE, and the api_key of the profile 'cloud'$/,
  );
  expect(await refusal(audit, { ...file, TEMPORAL_API_KEY: 'wrong' })).toMatch(/, and TEMPORAL_API_KEY$/);
  // A trigger of which no server takes the key says whose it is, of the first.
  const run = ['run', '--namespace-profile', 'invoices=billing'];
  expect(await refusal(run, { ...file, DATABASE_URL: ledger().databaseUrl })).toMatch(
    /the api_key of the profile 'billing'$/,
  );
  const unfit = await temporaryFile('unfit.toml', profile('default', 'first\\n'));
  expect(await refusal(audit, { TEMPORAL_CONFIG_FILE: unfit })).toMatch(
    /^escapement: the api_key of the profile 'default' has a character that no header takes/,
  );
});
