import type { ProvidedContext } from 'vitest';
import {
  NoWayFoundError,
  providePostgres,
  provideTemporal,
  provideTemporalCluster,
  provideTestServer,
} from '../provision';
import build from './built';
import { IN_VERIFY } from './support/verify';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A real Postgres. Tests make their own databases or schemas in it. */
    databaseUrl: string;
    /** `host:port` of a real Temporal server with a namespace `default`. Tests use task queues and IDs of their own. */
    temporalAddress: string;
    /** Path of the time-skipping test server, for `executable: { type: 'existing-path', path }`. */
    testServerPath: string;
  }
}

/** The part of vitest's project that is used here; its own type is in a module that CommonJS cannot name. */
interface Project {
  provide<Key extends keyof ProvidedContext>(key: Key, value: ProvidedContext[Key]): void;
}

const DYNAMIC_CONFIG = {
  'frontend.WorkflowPauseEnabled': true,
  // `npm run verify` has the server as it is installed.
  ...(!IN_VERIFY && {
    // By default a timer that is due within a second, such as that of a retry after a millisecond, fires up to a second late.
    'history.timerProcessorMaxTimeShift': '10ms',
    // Each test has task queues of its own, with little in each: by default every queue is kept in four parts.
    'matching.numTaskqueueReadPartitions': 1,
    'matching.numTaskqueueWritePartitions': 1,
  }),
};

/** Once a run, and only when a test was selected that needs servers. */
export default async function setUp(project: Project): Promise<() => Promise<void>> {
  await build();
  const onProgress = (message: string) => process.stderr.write(`${message}\n`);
  const providingPostgres = providePostgres({ databaseUrl: process.env.DATABASE_URL, onProgress });
  const outcomes = await Promise.allSettled([
    providingPostgres,
    providingPostgres.then(({ databaseUrl }) => temporalServer(databaseUrl, onProgress)),
    provideTestServer({ onProgress }),
  ]);
  const [postgres, temporal, testServer] = outcomes;
  const stop = async () => {
    if (temporal.status === 'fulfilled') await temporal.value.stop();
    if (postgres.status === 'fulfilled') await postgres.value.stop();
  };
  if (postgres.status === 'rejected' || temporal.status === 'rejected' || testServer.status === 'rejected') {
    await stop();
    throw outcomes.find((outcome) => outcome.status === 'rejected')?.reason;
  }
  project.provide('databaseUrl', postgres.value.databaseUrl);
  project.provide('temporalAddress', temporal.value.address);
  project.provide('testServerPath', testServer.value.executablePath);
  return stop;
}

/**
 * The given server; else the one that is deployed, on the tests' Postgres, of the version that `--temporal` asked for.
 * Where that cannot be built, the Temporal CLI's, unless a version was asked for.
 */
async function temporalServer(databaseUrl: string, onProgress: (message: string) => void): Promise<TemporalServer> {
  const { TEMPORAL_ADDRESS: address, ESCAPEMENT_TEST_TEMPORAL: version } = process.env;
  if (address) return provideTemporal({ address, onProgress });
  try {
    return await provideTemporalCluster({ databaseUrl, version, dynamicConfig: DYNAMIC_CONFIG, onProgress });
  } catch (error) {
    if (version !== undefined || !(error instanceof NoWayFoundError)) throw error;
    onProgress(`${error.message} Going on with the development server.`);
    return provideTemporal({ onProgress });
  }
}

interface TemporalServer {
  address: string;
  stop(): Promise<void>;
}
