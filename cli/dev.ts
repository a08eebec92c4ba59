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
  /** Print one line of JSON instead of a block for a person. */
  json: boolean;
  /** Keep the state of both servers in this folder. Default: gone when it stops. */
  data?: string;
  /** A Postgres to use instead of one of our own. */
  databaseUrl?: string;
  /** A Temporal server to use, if it answers, instead of one of our own. */
  temporalAddress?: string;
  /** How to reach that one, where it has TLS or asks for an API key. */
  temporalConnection?: ConnectionOptions;
  migrate: (databaseUrl: string) => Promise<void>;
  /** Serve the HTTP API on both. Default: it is not served. */
  serve?: (servers: {
    databaseUrl: string;
    temporalAddress: string;
    /** Undefined where the server has none. */
    temporalUi: string | undefined;
    namespace: string;
    /** Whether `TEMPORAL_ADDRESS` named the server, so that it was there before. */
    isGiven: boolean;
  }) => Promise<{
    url: string;
    close(): Promise<void>;
  }>;
  /** Aborted when it is time to stop. */
  stop: AbortSignal;
  /** Receives what was asked for: where the servers are. */
  write: (line: string) => void;
  /** Receives what goes on meanwhile. */
  progress: (line: string) => void;
}

/**
 * A migrated Postgres and a Temporal server with its Web UI, until `stop`. What was started is stopped again, also
 * after an error: Temporal first, because its clients may still write to Postgres.
 *
 * @throws ProvisionError when a server cannot be provided, or has died
 */
export async function dev(options: DevOptions): Promise<void> {
  const { data, progress: onProgress } = options;
  let postgres: ProvidedPostgres | undefined;
  let temporal: ProvidedTemporal | undefined;
  let api: Awaited<ReturnType<NonNullable<DevOptions['serve']>>> | undefined;
  try {
    postgres = await providePostgres({
      databaseUrl: options.databaseUrl,
      dataDirectory: data && join(data, 'postgres'),
      onProgress,
    });
    await options.migrate(postgres.databaseUrl);
    if (options.stop.aborted) return;
    temporal = await provideTemporal({
      address: options.temporalAddress,
      connection: options.temporalConnection,
      dataDirectory: data && join(data, 'temporal'),
      ui: true,
      onProgress,
    });
    if (options.stop.aborted) return;
    const { databaseUrl } = postgres;
    const { address: temporalAddress, uiUrl: temporalUi, namespace } = temporal;
    const isGiven = temporal.source === 'TEMPORAL_ADDRESS';
    api = await options.serve?.({ databaseUrl, temporalAddress, temporalUi, namespace, isGiven });
    if (options.stop.aborted) return;
    for (const line of describe(postgres, temporal, api?.url, options.json)) options.write(line);
    const died = await untilOneDies({ Postgres: postgres.end, Temporal: temporal.end }, options.stop);
    if (died) throw new ProvisionError(`${died} has ended by itself; start 'escapement dev' again`);
    onProgress('stopping');
  } finally {
    await api?.close();
    await temporal?.stop();
    await postgres?.stop();
  }
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

/** Which server has ended before it was time to stop. */
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
    // Neither a signal nor the servers keep a process from ending; this does, until it is told to.
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
