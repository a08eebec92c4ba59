import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Connection, type ConnectionOptions } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { Client } from 'pg';
import { messageOf, ProvisionError } from './errors';
import { lastLine, run } from './run';
import { type ServerProcess, startServerProcess, tailOf, waitUntilReady } from './server-process';
import { namespaceIsUsable, temporalAnswers } from './temporal-answers';
import { LIFTED_LIMITS } from './temporal-arguments';
import { type DynamicConfig, writeClusterConfig } from './temporal-cluster-config';
import { SERVER_VERSIONS, SQL_TOOL, temporalClusterExecutable } from './temporal-cluster-executable';

export interface TemporalClusterOptions {
  /** A Postgres whose user may create databases. Two databases are created in that Postgres, and dropped on stop. */
  databaseUrl: string;
  /** Namespaces to create at the start. By default only `default` is created. */
  namespaces?: readonly string[];
  /** The version of the server. By default it is the newest version with which Escapement is tested. */
  version?: string | undefined;
  /** The number of history shards, which is fixed for the life of a server. By default it is 4. */
  historyShards?: number;
  /** Dynamic configuration in addition to the raised limits: a value, or a list of values by namespace. */
  dynamicConfig?: DynamicConfig;
  /** The server's `global.tls`, and how clients connect to such a server. By default the server has no TLS. */
  tls?: { config: Record<string, unknown>; connection: ConnectionOptions };
  /**
   * Puts a proxy between the server's frontend and the server's own services that call it, such as its schedulers. The
   * function gets the frontend's address, and returns the proxy's address. By default there is no proxy.
   */
  proxy?: (frontend: string) => string;
  /** A function that is called with messages for a person about slow steps. By default nothing is reported. */
  onProgress?: (message: string) => void;
}

export interface ProvidedTemporalCluster {
  address: string;
  version: string;
  /**
   * The ID of the first supervisor, a process whose only child is the server. The supervisor is gone after a stop or a
   * crash; a server that is started again has another one.
   */
  processId: number | undefined;
  /** Stops the server and drops its databases. The method may be called twice. */
  stop(): Promise<void>;
  /** Kills the server as a crash would. The databases of the server stay. */
  crash(): Promise<void>;
  /**
   * After a `crash`: starts the server again, on its databases and at its address. The promise resolves when the server
   * answers.
   */
  startAgain(): Promise<void>;
}

const READY_TIMEOUT_MILLISECONDS = 180_000;
const ATTEMPTS = 3;

/**
 * Provides a Temporal server as in production, on Postgres; it is built once with `go install`. Its frontend, history,
 * matching and worker services run in one process on 127.0.0.1. The server ends with this process. Without a `stop`,
 * the databases remain.
 *
 * @throws {NoWayFoundError} if the server cannot be built
 * @throws {ProvisionError} if the server does not start
 */
export async function provideTemporalCluster(options: TemporalClusterOptions): Promise<ProvidedTemporalCluster> {
  const onProgress = options.onProgress ?? (() => {});
  const version = options.version ?? SERVER_VERSIONS.newest;
  const { executablePath } = await temporalClusterExecutable(version, onProgress);
  const folder = await mkdtemp(join(tmpdir(), 'escapement-temporal-'));
  const name = `temporal_${randomBytes(6).toString('hex')}`;
  const databases = { databaseUrl: options.databaseUrl, store: name, visibility: `${name}_visibility` };
  const cleanUp = async () => {
    await rm(folder, { recursive: true, force: true });
    await withPostgres(options.databaseUrl, [
      `drop database if exists ${databases.store} with (force)`,
      `drop database if exists ${databases.visibility} with (force)`,
    ]);
  };
  try {
    onProgress('Temporal: making the tables of the server on Postgres');
    await makeTables(join(dirname(executablePath), SQL_TOOL), databases);
    onProgress(`Temporal: starting the server ${version} on Postgres`);
    const started = await start(executablePath, folder, databases, options);
    let { server } = started;
    return {
      address: started.address,
      version,
      processId: server.processId,
      stop: async () => {
        await server.stop();
        await cleanUp();
      },
      crash: () => server.crash(),
      startAgain: async () => {
        server = started.startServer();
        await started.untilUsable(server);
      },
    };
  } catch (error) {
    await cleanUp();
    throw error;
  }
}

interface Databases {
  databaseUrl: string;
  store: string;
  visibility: string;
}

async function makeTables(sqlTool: string, { databaseUrl, store, visibility }: Databases): Promise<void> {
  await withPostgres(databaseUrl, [`create database ${store}`, `create database ${visibility}`]);
  const url = new URL(databaseUrl);
  for (const [database, schema] of [
    [store, 'postgresql/v12/temporal'],
    [visibility, 'postgresql/v12/visibility'],
  ] as const) {
    const environment = {
      SQL_HOST: url.hostname,
      SQL_PORT: url.port || '5432',
      SQL_USER: decodeURIComponent(url.username) || 'postgres',
      SQL_PASSWORD: decodeURIComponent(url.password),
      SQL_DATABASE: database,
      SQL_PLUGIN: 'postgres12',
    };
    for (const step of [
      ['setup-schema', '--version', '0.0'],
      ['update-schema', '--schema-name', schema],
    ]) {
      const { code, output } = await run(sqlTool, step, { environment });
      if (code !== 0) throw new ProvisionError(`The tables of the Temporal server: ${lastLine(output)}`);
    }
  }
}

async function start(executablePath: string, folder: string, databases: Databases, options: TemporalClusterOptions) {
  const namespaces = options.namespaces ?? ['default'];
  const logFile = join(folder, 'temporal.log');
  for (let attempt = 1; ; attempt++) {
    const dynamicConfig = { ...LIFTED_LIMITS, ...options.dynamicConfig };
    const { historyShards = 4 } = options;
    const { args, address } = await writeClusterConfig(folder, databases, {
      dynamicConfig,
      historyShards,
      tls: options.tls?.config,
      proxy: options.proxy,
    });
    const to = { ...options.tls?.connection, address };
    const startServer = () =>
      startServerProcess({
        command: executablePath,
        args,
        logFile,
        // The server's databases are dropped anyway, so an orderly shutdown is not worth the seconds.
        stopSignal: 'SIGKILL',
        graceMilliseconds: 5_000,
        removeAfter: [folder],
      });
    const untilUsable = async (server: ServerProcess) => {
      for (const namespace of namespaces) await whenReady(server, () => namespaceIsUsable(to, namespace), logFile);
    };
    const server = startServer();
    try {
      await whenReady(server, () => temporalAnswers(to, 3_000), logFile);
      await register(to, namespaces);
      await untilUsable(server);
      return { server, address, startServer, untilUsable };
    } catch (error) {
      await server.stop();
      if (attempt < ATTEMPTS && /address already in use/i.test(messageOf(error))) continue;
      throw error;
    }
  }
}

async function whenReady(server: ServerProcess, check: () => Promise<boolean>, logFile: string): Promise<void> {
  const outcome = await waitUntilReady(server, check, READY_TIMEOUT_MILLISECONDS);
  if (outcome === 'ready') return;
  throw new ProvisionError(
    `The Temporal server ${outcome} before it was ready (${problemOf(await tailOf(logFile, 1))}).`,
  );
}

/** The message in a line of the server's log, without the stack trace. */
function problemOf(line: string): string {
  try {
    const { msg, error } = JSON.parse(line) as { msg: string; error?: string };
    return error ? `${msg}: ${error}` : msg;
  } catch {
    return line;
  }
}

async function register(to: ConnectionOptions, namespaces: readonly string[]): Promise<void> {
  const connection = await Connection.connect(to);
  try {
    for (const namespace of namespaces) {
      await connection.workflowService.registerNamespace({
        namespace,
        workflowExecutionRetentionPeriod: msToTs('1 day'),
      });
    }
  } finally {
    await connection.close();
  }
}

async function withPostgres(databaseUrl: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
