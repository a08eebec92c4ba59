import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, inject, it } from 'vitest';
import { EscapementClient } from '../../../index';
import { migrate } from '../../../migrations';
import { Trigger } from '../../../trigger';
import { temporaryFolder } from '../../support/folder';
import { someSchedule } from '../../support/ledger';
import { runCli } from '../../support/processes/child';
import { runCommand } from '../../support/processes/command';
import { certificateAuthority } from '../../support/servers/certificates';
import { startPrimary } from '../../support/servers/postgres-server';

const authority = certificateAuthority();
const stranger = certificateAuthority('stranger');

it('Postgres that takes TLS alone is used by the usual options of the connection string, and a rotating password by a command', async () => {
  const folder = await temporaryFolder();
  const file = async (name: string, content: string) => {
    await writeFile(join(folder, name), content, { mode: 0o600 });
    return join(folder, name);
  };
  const server = authority.server('localhost', '127.0.0.1');
  const primary = await startPrimary({
    files: { 'server.crt': server.cert, 'server.key': server.key, 'ca.crt': authority.ca },
    settings: ['ssl=on', 'ssl_cert_file=server.crt', 'ssl_key_file=server.key', 'ssl_ca_file=ca.crt'],
    access: [
      'hostssl all certified all cert',
      'hostssl all rotating all scram-sha-256',
      'hostnossl all rotating,certified all reject',
    ],
  });
  await primary.query(`create role owned; create role certified login in role owned;
    create role rotating login password 'first' in role owned; grant create on database postgres to owned`);
  const ca = await file('ca.pem', authority.ca);
  const at = (role: string, parameters: Record<string, string>) => {
    const url = new URL(primary.url());
    url.username = role;
    url.password = '';
    url.hostname = 'localhost';
    for (const [name, value] of Object.entries({ options: '-c role=owned', ...parameters }))
      url.searchParams.set(name, value);
    return url.href;
  };
  const verified = { sslmode: 'verify-full', sslrootcert: ca };

  // A role that has a certificate in place of a password, and is no superuser, owns the schema.
  const certificate = authority.client('certified');
  const certified = at('certified', {
    ...verified,
    sslcert: await file('client.pem', certificate.cert),
    sslkey: await file('client.key', certificate.key),
  });
  expect(await migrate({ connectionString: certified })).not.toEqual([]);
  const client = new EscapementClient({ connectionString: certified });
  const { scheduleId } = await client.create(someSchedule({ state: { triggerImmediately: true } }));

  const rotating = at('rotating', verified);
  const passwordFile = await file('password', 'first');
  const env = {
    DATABASE_URL: rotating,
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    ESCAPEMENT_DATABASE_PASSWORD_COMMAND: `cat ${passwordFile}`,
  };
  const running = runCli(['run'], env);
  await running.line(new RegExp(`"scheduleId":"${scheduleId}".*"msg":"linked"`));
  const connections = () =>
    primary.query<{ pid: number; ssl: boolean; version: string }>(
      `select pid, ssl, version from pg_stat_ssl join pg_stat_activity using (pid) where usename = 'rotating'`,
    );
  const before = await connections();
  expect(new Set(before.map(({ ssl }) => ssl))).toEqual(new Set([true]));
  // The password is another one, and no connection that used the first is left.
  await writeFile(passwordFile, 'second');
  await primary.query(`alter role rotating password 'second'`);
  await primary.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'rotating'`);
  const { scheduleId: next } = await client.create(someSchedule({ state: { triggerImmediately: true } }));
  await running.line(new RegExp(`"scheduleId":"${next}".*"msg":"linked"`));
  const known = new Set(before.map(({ pid }) => pid));
  expect((await connections()).filter(({ pid }) => known.has(pid))).toEqual([]);
  running.kill('SIGTERM');
  expect(await running.ended()).toEqual({ code: 0, signal: null });
  await client.close();

  const refusal = (DATABASE_URL: string) =>
    runCommand(['schedule', 'list'], { ...env, DATABASE_URL }).then(({ stderr }) => stderr);
  expect(await refusal(at('rotating', {}))).toMatch(/pg_hba|no encryption.*add sslmode=verify-full to DATABASE_URL$/);
  const unknown = await file('stranger.pem', stranger.ca);
  expect(await refusal(at('rotating', { sslmode: 'verify-full', sslrootcert: unknown }))).toMatch(
    /cannot be reached with TLS .*as sslrootcert=FILE in DATABASE_URL$/,
  );
  expect(await refusal(at('certified', verified))).toMatch(
    /certificate.*as sslcert=FILE and sslkey=FILE in DATABASE_URL$/,
  );
  const elsewhere = new URL(rotating);
  elsewhere.hostname = '127.0.0.2';
  expect(await refusal(elsewhere.href)).toMatch(
    /DATABASE_URL must name the host as the certificate does|cannot be reached/,
  );
  const options = {
    connectionString: at('rotating', { sslmode: 'verify-full', sslrootcert: unknown }),
    password: () => 'second',
  };
  await expect(
    Trigger.create({ ...options, connection: { address: inject('temporalAddress') } }),
  ).rejects.toMatchObject({
    name: 'PostgresUnreachableError',
  });
  const plain = new Client({ connectionString: inject('databaseUrl') });
  await plain.connect();
  const { rows } = await plain.query(`show ssl`);
  await plain.end();
  if (rows[0].ssl === 'off') {
    const url = new URL(inject('databaseUrl'));
    url.searchParams.set('sslmode', 'verify-full');
    expect(await refusal(url.href)).toMatch(/cannot be reached with TLS .*take sslmode out of DATABASE_URL/);
  }
});
