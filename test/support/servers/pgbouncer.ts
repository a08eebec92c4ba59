import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { onTestFinished } from 'vitest';
import { freePort } from '../../../provision/ports';
import { postgresAccount } from '../../../provision/postgres-account';
import { startServerProcess, tailOf, waitUntilReady } from '../../../provision/server-process';
import { ensureProgram } from './debian-program';

const PROGRAM = 'pgbouncer';

/** Start a real pgbouncer in front of a database, for the length of the test. @returns the URL through pgbouncer */
export async function pgbouncerOf(databaseUrl: string, mode: 'session' | 'transaction' | 'statement'): Promise<string> {
  await ensureProgram(PROGRAM);
  const target = new URL(databaseUrl);
  const port = await freePort();
  const account = await postgresAccount();
  const folder = await mkdtemp(join(tmpdir(), 'escapement-pgbouncer-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const users = join(folder, 'users.txt');
  const config = join(folder, 'pgbouncer.ini');
  await writeFile(users, `"${target.username}" "${target.password}"\n`);
  await writeFile(
    config,
    `[databases]
* = host=${target.hostname} port=${target.port || 5432}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = ${mode}
default_pool_size = 20
`,
  );
  // pgbouncer does not run as root.
  if (account) for (const path of [folder, users, config]) await chown(path, account.uid, account.gid);
  const logFile = join(folder, 'pgbouncer.log');
  const server = startServerProcess({
    command: PROGRAM,
    args: [config],
    cwd: folder,
    ...account,
    logFile,
    stopSignal: 'SIGTERM',
    graceMilliseconds: 2_000,
    removeAfter: [],
  });
  onTestFinished(() => server.stop());
  target.host = `127.0.0.1:${port}`;
  const answers = async () => {
    const client = new Client({ connectionString: target.href });
    client.on('error', () => undefined);
    return client.connect().then(
      () => client.end().then(() => true),
      () => false,
    );
  };
  const outcome = await waitUntilReady(server, answers, 60_000);
  if (outcome !== 'ready') throw new Error(`pgbouncer ${outcome} before it answered: ${await tailOf(logFile)}`);
  return target.href;
}
