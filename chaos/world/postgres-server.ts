import { access, appendFile, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from '../../provision/ports';
import { type Account, firstEnterable, postgresAccount } from '../../provision/postgres-account';
import { type PostgresBinaries, postgresBinaries } from '../../provision/postgres-binaries';
import { temporaryData } from '../../provision/postgres-data';
import { run } from '../../provision/run';
import { type ServerProcess, startServerProcess } from '../../provision/server-process';
import type { AtEnd } from './at-end';

/** A real Postgres server that can be promoted, stopped and copied. */
export interface PostgresServer {
  /** The address of the server, as `host:port`. */
  address: string;
  /** The URL of the server's database `postgres`, directly or by another address. */
  url(address?: string): string;
  query<Row = Record<string, unknown>>(text: string): Promise<Row[]>;
  /** Copies the server's data while the server runs, as `pg_basebackup` does. No server runs on the copy yet. */
  backUp(): Promise<PostgresBackup>;
  /** Stops the server like `pg_ctl stop -m immediate`, as if its host had died. The data of the server stay. */
  stop(): Promise<void>;
  /** Starts the server again after a stop, with its data and at its address. */
  startAgain(): Promise<PostgresServer>;
}

/** A copy of a server's data. */
export interface PostgresBackup {
  /** Starts a standby on the copy, which follows a primary at an address until it is promoted. */
  startStandby(primary: string, name: string): Promise<PostgresServer>;
  /** Starts a server on the copy, at another address. It recovers to the end of the backup, on a new timeline. */
  restore(): Promise<PostgresServer>;
}

interface Place {
  account: Account | undefined;
  binaries: PostgresBinaries;
  folder: string;
  directory: string;
  password: string;
  /** Settings of the server, which a standby shares with its primary. */
  settings: readonly string[];
  atEnd: AtEnd;
}

/** Additional settings of a server. */
export interface PostgresSetUp {
  /** Files in its data directory that only the server may read. */
  files?: Record<string, string>;
  /** Settings such as `ssl=on`. */
  settings?: string[];
  /** Lines of pg_hba.conf, before the existing ones. */
  access?: string[];
}

/** Starts a primary with its own new data. */
export async function startPrimary(atEnd: AtEnd, setUp: PostgresSetUp = {}): Promise<PostgresServer> {
  const account = await postgresAccount();
  const binaries = await postgresBinaries(account, () => undefined);
  const { directory, password, removeAfter, release } = await temporaryData(binaries, account);
  atEnd(release);
  for (const [name, content] of Object.entries(setUp.files ?? {})) {
    await writeFile(join(directory, name), content, { mode: 0o600 });
    if (account) await chown(join(directory, name), account.uid, account.gid);
  }
  const hba = join(directory, 'pg_hba.conf');
  if (setUp.access) await writeFile(hba, [...setUp.access, await readFile(hba, 'utf8')].join('\n'));
  return startOn({
    account,
    binaries,
    folder: removeAfter[0]!,
    directory,
    password,
    settings: setUp.settings ?? [],
    atEnd,
  });
}

async function startOn(place: Place, givenPort?: number): Promise<PostgresServer> {
  const { account, binaries, folder, directory, password } = place;
  const port = givenPort ?? (await freePort());
  // The server does not wait for its disk. A commit may still wait for a standby.
  const settings = [
    'unix_socket_directories=',
    'fsync=off',
    'wal_keep_size=256MB',
    'listen_addresses=127.0.0.1',
    ...place.settings,
  ];
  const server: ServerProcess = startServerProcess({
    command: binaries.postgres,
    args: ['-D', directory, '-p', String(port), ...settings.flatMap((one) => ['-c', one])],
    cwd: directory,
    ...account,
    environment: { LC_ALL: 'C' },
    logFile: join(folder, 'postgres.log'),
    stopSignal: 'SIGQUIT',
    graceMilliseconds: 10_000,
    removeAfter: [],
  });
  place.atEnd(() => server.stop());
  const address = `127.0.0.1:${port}`;
  const url = (at = address) => `postgres://postgres:${password}@${at}/postgres`;
  const query = async <Row>(text: string) => {
    const client = new Client({ connectionString: url(), connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query(text)).rows as Row[];
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  await untilItAnswers(server, () => query('select 1'));
  return {
    address,
    url,
    query,
    backUp: () => backUp(place, url()),
    stop: () => server.stop(),
    startAgain: () => startOn(place, port),
  };
}

const ASK_EVERY_MILLISECONDS = 30;

async function untilItAnswers(server: ServerProcess, ask: () => Promise<unknown>): Promise<void> {
  for (;;) {
    if (server.ended) throw new Error('Postgres has ended before it answered');
    const answers = await ask().then(
      () => true,
      () => false,
    );
    if (answers) return;
    await setTimeout(ASK_EVERY_MILLISECONDS);
  }
}

async function backUp(place: Place, url: string): Promise<PostgresBackup> {
  const { account, directory } = place;
  const base = account === undefined ? tmpdir() : await firstEnterable(account, [tmpdir(), '/var/tmp', '/tmp']);
  const folder = await mkdtemp(join(base, 'escapement-copy-'));
  place.atEnd(() => rm(folder, { recursive: true, force: true }));
  const copy = join(folder, 'data');
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`select pg_backup_start('copy', true)`);
  // Files change while they are copied; the write-ahead log contains the changes that the copy lacks.
  await run('cp', ['-a', directory, copy]);
  const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
  await client.end();
  // The write-ahead log is copied again, since the record that ends the backup was written after the first copy.
  await run('cp', ['-a', `${join(directory, 'pg_wal')}/.`, join(copy, 'pg_wal')]);
  await rm(join(copy, 'postmaster.pid'), { force: true });
  await access(join(copy, 'PG_VERSION'));
  await writeFile(join(copy, 'backup_label'), rows[0].labelfile);
  const signal = async (name: string, settings: string) => {
    await writeFile(join(copy, name), '');
    await appendFile(join(copy, 'postgresql.auto.conf'), settings);
    if (account) {
      for (const path of [folder, join(copy, 'backup_label'), join(copy, name)]) {
        await chown(path, account.uid, account.gid);
      }
    }
    return { ...place, folder, directory: copy };
  };
  return {
    startStandby: async (primary, name) => {
      const [host, port] = primary.split(':');
      const conninfo = `host=${host} port=${port} user=postgres password=${place.password} application_name=${name}`;
      await emptied(join(copy, 'pg_wal'));
      return startOn(
        await signal('standby.signal', `primary_conninfo = '${conninfo}'\nwal_retrieve_retry_interval = 200\n`),
      );
    },
    restore: async () => {
      const server = await startOn(await signal('recovery.signal', `restore_command = 'false'\n`));
      // The server already answers while it recovers. A backup that began during recovery would fail when the server
      // becomes a primary.
      while ((await server.query('select where not pg_is_in_recovery()')).length === 0) {
        await setTimeout(ASK_EVERY_MILLISECONDS);
      }
      return server;
    },
  };
}

/** Removes the copied write-ahead log, since the standby gets from the primary what the copy lacks. */
async function emptied(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (/^[0-9A-F]{24}$/.test(name)) await rm(join(directory, name));
  }
  await mkdir(join(directory, 'archive_status'), { recursive: true });
}
