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
  /** `host:port` of a server to use if it answers within 3 s. */
  address?: string;
  /** How to reach that one, where it has TLS or asks for an API key. Default: without either. */
  connection?: ConnectionOptions | undefined;
  /** Keep the server's state here and find it again the next time. Default: in memory, gone on stop. */
  dataDirectory?: string;
  /** Serve the Web UI as well. Default: false. */
  ui?: boolean;
  /** Default: `default`. Created if it is missing, on a server that is started here. */
  namespace?: string;
  /** Dynamic configuration of a server that is started here, beyond the limits that are lifted. Default: none. */
  dynamicConfig?: Record<string, number>;
  /** Called with a line for a person about what takes time. Default: silent. */
  onProgress?: (message: string) => void;
}

export interface ProvidedTemporal {
  address: string;
  /** Where the Web UI is, if it was asked for and the server was started here. */
  uiUrl?: string;
  namespace: string;
  /** `TEMPORAL_ADDRESS`, `PATH`, `the SDK's download` or `go install`. */
  source: string;
  /** Resolves when the server that was started here has ended, by itself or by `stop`; undefined of one that was given. */
  end?: Promise<void>;
  /** Stops what was started here; does nothing to a server that was given. Safe to call twice. */
  stop(): Promise<void>;
}

const READY_TIMEOUT_MILLISECONDS = 60_000;
const ATTEMPTS = 5;

/**
 * A real Temporal server: the given one if it answers; else the Temporal CLI's server from the PATH, the SDK's download
 * or `go install`, on 127.0.0.1 and free ports. It does not outlive this process. A given server that is silent is
 * reported through `onProgress`.
 *
 * @throws NoWayFoundError when there is no way to get a server; it lists the ways
 * @throws DataDirectoryInUseError when another server runs on `dataDirectory`
 * @throws ProvisionError when the server does not start
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
    onProgress(`Temporal: no server answers at ${address} (TEMPORAL_ADDRESS); going on to the next way`);
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
      // What is only in memory is not worth the seconds of an orderly shutdown.
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
