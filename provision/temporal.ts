import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ConnectionOptions } from '@temporalio/client';
import { type HeldDirectory, holdDataDirectory } from './data-directory';
import { ProvisionError } from './errors';
import { freePort } from './ports';
import { startServerProcess, tailOf, waitUntilReady } from './server-process';
import { namespaceIsUsable, temporalAnswers } from './temporal-answers';
import { devServerArguments } from './temporal-arguments';
import { temporalExecutable } from './temporal-executable';

export interface TemporalOptions {
  /** The address of an existing server, as `host:port`; the server is used if it answers within 10 s. */
  address?: string;
  /** How to connect to the existing server, if it uses TLS or an API key. By default it uses neither. */
  connection?: ConnectionOptions | undefined;
  /**
   * The folder in which the server's state is kept for later runs. By default the state is in memory, and is lost on
   * stop.
   */
  dataDirectory?: string;
  /** Whether to serve the Web UI too. By default it is not served. */
  ui?: boolean;
  /**
   * The namespace that workflows use. By default it is `default`. A server that is started here creates the namespace.
   */
  namespace?: string;
  /**
   * Dynamic configuration of a server that is started here, in addition to the raised limits. By default there are no
   * further values.
   */
  dynamicConfig?: Record<string, number>;
  /** A function that is called with messages for a person about slow steps. By default nothing is reported. */
  onProgress?: (message: string) => void;
}

export interface ProvidedTemporal {
  address: string;
  /** Address of the Web UI, if it was requested and the server was started here. */
  uiUrl?: string;
  namespace: string;
  /** Where the server came from: `TEMPORAL_ADDRESS`, `PATH`, `the SDK's download` or `go install`. */
  source: string;
  /**
   * Resolves when the server that was started here has ended, by itself or by `stop`; undefined for an existing one.
   */
  end?: Promise<void>;
  /** Stops the server that was started here; an existing server is not stopped. The method may be called twice. */
  stop(): Promise<void>;
}

const READY_TIMEOUT_MILLISECONDS = 180_000;
const ATTEMPTS = 5;

/**
 * Provides a real Temporal server. An existing server is used if it answers. If none does, the Temporal CLI's server is
 * started, from the PATH, the SDK's download or `go install`, on 127.0.0.1 and free ports. The started server ends with
 * this process. If an existing server does not answer, `onProgress` reports it.
 *
 * @throws NoWayFoundError if there is no way to get a server; the error lists the ways that were tried
 * @throws DataDirectoryInUseError if another run uses `dataDirectory`
 * @throws ProvisionError if the server does not start
 */
export async function provideTemporal(options: TemporalOptions): Promise<ProvidedTemporal> {
  const onProgress = options.onProgress ?? (() => {});
  const namespace = options.namespace ?? 'default';
  const tried: string[] = [];
  if (options.address) {
    const address = options.address;
    if (await temporalAnswers({ ...options.connection, address }))
      return { address, namespace, source: 'TEMPORAL_ADDRESS', stop: async () => {} };
    tried.push(`no Temporal server answers at ${address} (TEMPORAL_ADDRESS)`);
    onProgress(`Temporal: no server answers at ${address} (TEMPORAL_ADDRESS); trying the next way`);
  }
  const { executablePath, source } = await temporalExecutable(tried, onProgress);
  onProgress(`Temporal: starting the server from ${source}`);
  const state = await stateFolder(options.dataDirectory);
  try {
    const { server, ...addresses } = await start(executablePath, state, namespace, options);
    return {
      ...addresses,
      namespace,
      source,
      end: server.end,
      async stop() {
        await server.stop();
        await state.release();
      },
    };
  } catch (error) {
    await state.release();
    throw error;
  }
}

interface State extends HeldDirectory {
  folder: string;
  isTemporary: boolean;
}

async function stateFolder(dataDirectory: string | undefined): Promise<State> {
  if (dataDirectory === undefined) {
    const folder = await mkdtemp(join(tmpdir(), 'escapement-temporal-'));
    const release = () => rm(folder, { recursive: true, force: true });
    return { folder, isTemporary: true, runsUnder: async () => {}, release };
  }
  const folder = resolve(dataDirectory);
  return { folder, isTemporary: false, ...(await holdDataDirectory(folder)) };
}

async function start(executablePath: string, state: State, namespace: string, options: TemporalOptions) {
  const { ui = false, dynamicConfig = {} } = options;
  const logFile = join(state.folder, 'temporal.log');
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const uiPort = ui ? await freePort() : undefined;
    const databaseFile = state.isTemporary ? undefined : join(state.folder, 'temporal.sqlite');
    const server = startServerProcess({
      command: executablePath,
      args: devServerArguments({ port, uiPort, namespace, databaseFile, dynamicConfig }),
      logFile,
      // State in memory is lost anyway, so an orderly shutdown is not worth the seconds.
      stopSignal: state.isTemporary ? 'SIGKILL' : 'SIGTERM',
      graceMilliseconds: 10_000,
      removeAfter: state.isTemporary ? [state.folder] : [],
    });
    await state.runsUnder(server.processId);
    const address = `127.0.0.1:${port}`;
    const outcome = await waitUntilReady(
      server,
      () => namespaceIsUsable(address, namespace),
      READY_TIMEOUT_MILLISECONDS,
    );
    if (outcome === 'ready') {
      return uiPort === undefined ? { server, address } : { server, address, uiUrl: `http://127.0.0.1:${uiPort}` };
    }
    const log = await tailOf(logFile);
    await server.stop();
    if (attempt < ATTEMPTS && outcome === 'ended' && /address already in use|set .*port/i.test(log)) continue;
    throw new ProvisionError(
      `The Temporal server ${outcome} before it was ready (${log}): set TEMPORAL_ADDRESS to use another one.`,
    );
  }
}
