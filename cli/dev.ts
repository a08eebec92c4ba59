import { join } from 'node:path';
import type { ConnectionOptions } from '@temporalio/client';
import {
  type ProvidedPostgres,
  type ProvidedTemporal,
  ProvisionError,
  providePostgres,
  provideTemporal,
} from '../provision';

export interface DevOptions {
  /** Print one line of JSON instead of text for a person. */
  json: boolean;
  /** Keep the state of the started servers in this folder. Default: the state is deleted at the end. */
  data?: string;
  /** An existing Postgres to use instead of starting one. */
  databaseUrl?: string;
  /** An existing Temporal server to use if it answers, instead of starting one. */
  temporalAddress?: string;
  /** How to connect to the existing Temporal server, if it uses TLS or an API key. */
  temporalConnection?: ConnectionOptions;
  /** The namespace of Temporal that schedules use. Default: `default`. */
  temporalNamespace?: string;
  migrate: (databaseUrl: string) => Promise<void>;
  /** Serves the HTTP API for the two servers. Default: no HTTP API. */
  serve?: (servers: {
    databaseUrl: string;
    temporalAddress: string;
    /** The address of Temporal's Web UI; undefined if the server has none. */
    temporalUi: string | undefined;
    namespace: string;
    /** Whether `TEMPORAL_ADDRESS` named the Temporal server, which was then already running. */
    isGiven: boolean;
  }) => Promise<{
    url: string;
    close(): Promise<void>;
  }>;
  /** Aborted when the servers must stop. */
  stop: AbortSignal;
  write: (line: string) => void;
  progress: (line: string) => void;
}

interface Started {
  name: string;
  stop(): Promise<void>;
}

/**
 * Run a migrated Postgres and a Temporal server with its Web UI until `stop`. Servers that this command started are
 * stopped again, also after an error. The HTTP API stops before the servers that it uses.
 *
 * @throws ProvisionError if a server cannot be provided, has died, or does not stop; and the errors of `migrate` and
 *   `serve`
 */
export async function dev(options: DevOptions): Promise<void> {
  const started: Started[] = [];
  const errors: Error[] = [];
  await run(options, started).catch((error) => errors.push(error));
  for (const { name, stop } of started.reverse()) {
    await stop().catch(({ message }) => errors.push(new ProvisionError(`${name} did not stop: ${message}`)));
  }
  const [first, ...others] = errors;
  for (const { message } of others) options.progress(message);
  if (first) throw first;
}

/** @param started receives each server as soon as it must be stopped again */
async function run(options: DevOptions, started: Started[]): Promise<void> {
  const { data, progress: onProgress } = options;
  const postgres = await providePostgres({
    databaseUrl: options.databaseUrl,
    dataDirectory: data && join(data, 'postgres'),
    onProgress,
  });
  started.push({ name: 'Postgres', stop: () => postgres.stop() });
  await options.migrate(postgres.databaseUrl);
  if (options.stop.aborted) return;
  const temporal = await provideTemporal({
    address: options.temporalAddress,
    connection: options.temporalConnection,
    namespace: options.temporalNamespace,
    dataDirectory: data && join(data, 'temporal'),
    ui: true,
    onProgress,
  });
  started.push({ name: 'Temporal', stop: () => temporal.stop() });
  if (options.stop.aborted) return;
  const { databaseUrl } = postgres;
  const { address: temporalAddress, uiUrl: temporalUi, namespace } = temporal;
  const isGiven = temporal.source === 'TEMPORAL_ADDRESS';
  const api = await options.serve?.({ databaseUrl, temporalAddress, temporalUi, namespace, isGiven });
  if (api) started.push({ name: 'the HTTP API', stop: () => api.close() });
  if (options.stop.aborted) return;
  for (const line of describe(postgres, temporal, api?.url, options.json)) options.write(line);
  const died = await untilOneDies({ Postgres: postgres.end, Temporal: temporal.end }, options.stop);
  if (died) throw new ProvisionError(`${died} has ended by itself; start 'escapement dev' again`);
  onProgress('stopping');
}

function describe(
  postgres: ProvidedPostgres,
  temporal: ProvidedTemporal,
  apiUrl: string | undefined,
  json: boolean,
): string[] {
  const { databaseUrl } = postgres;
  const { address: temporalAddress, uiUrl: temporalUiUrl = null, namespace } = temporal;
  if (json) return [JSON.stringify({ databaseUrl, temporalAddress, temporalUiUrl, namespace, apiUrl: apiUrl ?? null })];
  return [
    `DATABASE_URL=${databaseUrl}`,
    `TEMPORAL_ADDRESS=${temporalAddress}`,
    `TEMPORAL_NAMESPACE=${namespace}`,
    '',
    ...(temporalUiUrl ? [`Temporal's Web UI: ${temporalUiUrl}`] : []),
    ...(apiUrl ? [`Escapement's dashboard: ${apiUrl}, with the HTTP API, described at ${apiUrl}/docs`] : []),
    'Press Ctrl-C to stop.',
  ];
}

/** Resolves to the name of a server that ended by itself, or to undefined once the command must stop. */
async function untilOneDies(servers: Record<string, Promise<void> | undefined>, stop: AbortSignal) {
  const over = new AbortController();
  let died: string | undefined;
  for (const [name, end] of Object.entries(servers)) {
    void end?.then(() => {
      if (!stop.aborted) died ??= name;
      over.abort();
    });
  }
  await aborted(AbortSignal.any([stop, over.signal]));
  return died;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    // Neither a signal handler nor the servers keep this process alive, so a timer does until the stop.
    const keepAlive = setInterval(() => {}, 60_000);
    signal.addEventListener(
      'abort',
      () => {
        clearInterval(keepAlive);
        resolve();
      },
      { once: true },
    );
  });
}
