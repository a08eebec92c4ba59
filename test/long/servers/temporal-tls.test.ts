import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { provideTemporalCluster } from '../../../provision';
import { temporaryFolder } from '../../support/folder';
import { someSchedule, useLedger } from '../../support/ledger';
import { runCli, spawnCommand } from '../../support/processes/child';
import { runCommand } from '../../support/processes/command';
import { certificateAuthority } from '../../support/servers/certificates';

const ledger = useLedger();

it('every command reaches a Temporal server that asks for certificates, by Temporal’s own variables or a profile, and says what to do without', async () => {
  const authority = certificateAuthority();
  const folder = await temporaryFolder();
  const file = async (name: string, content: string) => {
    await writeFile(join(folder, name), content, { mode: 0o600 });
    return join(folder, name);
  };
  const [server, ours] = [authority.server('localhost', '127.0.0.1'), authority.client('trigger')];
  const ca = await file('ca.pem', authority.ca);
  const own = { certFile: await file('server.pem', server.cert), keyFile: await file('server.key', server.key) };
  const client = { serverName: 'localhost', rootCaFiles: [ca] };
  const serverRootCACertificate = Buffer.from(authority.ca);
  const clientCertPair = { crt: Buffer.from(ours.cert), key: Buffer.from(ours.key) };
  const { address: numeric, stop } = await provideTemporalCluster({
    databaseUrl: inject('databaseUrl'),
    tls: {
      config: {
        frontend: { server: { ...own, requireClientAuth: true, clientCaFiles: [ca] }, client },
        systemWorker: { ...own, client },
      },
      connection: { tls: { serverRootCACertificate, clientCertPair } },
    },
    onProgress: (message) => process.stderr.write(`${message}\n`),
  });
  onTestFinished(stop);
  const address = numeric.replace('127.0.0.1', 'localhost');
  const anonymous = {
    DATABASE_URL: ledger().databaseUrl,
    TEMPORAL_ADDRESS: address,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: ca,
  };
  const [cert, key] = [await file('client.pem', ours.cert), await file('client.key', ours.key)];
  const env = { ...anonymous, TEMPORAL_TLS_CLIENT_CERT_PATH: cert, TEMPORAL_TLS_CLIENT_KEY_PATH: key };
  const toml = `[profile.secured]
address = "${address}"
namespace = "default"
tls.server_ca_cert_path = "${ca}"
tls.client_cert_path = "${cert}"
tls.client_key_path = "${key}"
`;
  const profile = {
    DATABASE_URL: ledger().databaseUrl,
    TEMPORAL_CONFIG_FILE: await file('temporal.toml', toml),
    TEMPORAL_PROFILE: 'secured',
  };
  const audit = ['audit', '--native', '--from', '2026-01-01', '--to', '2026-01-02'];
  for (const settings of [env, profile]) {
    const { scheduleId } = await ledger()
      .newClient({ now: undefined })
      .create(someSchedule({ state: { triggerImmediately: true } }));
    const running = runCli(['run'], settings);
    await running.line(new RegExp(`"scheduleId":"${scheduleId}".*"msg":"linked"`));
    running.kill('SIGTERM');
    expect(await running.ended()).toEqual({ code: 0, signal: null });
    for (const command of [audit, ['import', '--dry-run'], ['export', '--dry-run']]) {
      const { code, stderr } = await runCommand(command, settings);
      expect({ command, code, stderr }).toMatchObject({ code: 0 });
    }
    expect((await runCommand(['doctor', '--json'], settings)).stdout).not.toContain('temporal_unreachable');
  }

  const toDo = expect.stringMatching(
    /^escapement: Temporal cannot be reached at localhost:\d+ \(.*certificate required.*\); it asks for a client certificate that it knows: set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH$/,
  );
  expect(await spawnCommand(['run'], anonymous)).toEqual({ code: 1, stdout: '', stderr: toDo });
  expect(await runCommand(audit, anonymous)).toEqual({ code: 1, stdout: '', stderr: toDo });
  expect((await runCommand(['doctor'], anonymous)).stdout).toMatch(
    /certificate required[\s\S]*set TEMPORAL_TLS_CLIENT_CERT_PATH/,
  );
});
