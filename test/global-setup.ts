import type { ProvidedContext } from 'vitest';
import { providePostgres, provideTemporal, provideTestServer } from '../provision';

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

/** Once a run, and only when a test was selected that needs servers. */
export default async function setUp(project: Project): Promise<() => Promise<void>> {
  const onProgress = (message: string) => process.stderr.write(`${message}\n`);
  const outcomes = await Promise.allSettled([
    providePostgres({ databaseUrl: process.env.DATABASE_URL, onProgress }),
    provideTemporal({ address: process.env.TEMPORAL_ADDRESS, onProgress }),
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
