import { createRequire } from 'node:module';

/**
 * Start the servers of the tests once for all runs. The runs find their addresses in environment variables. Resolves to
 * a function that stops them.
 */
export async function startServers() {
  const require = createRequire(import.meta.url);
  require('tsx/cjs/api').register();
  const provided = {};
  const stop = await require('../../../test/global-setup.ts').default({
    provide: (key, value) => {
      provided[key] = value;
    },
  });
  process.env.DATABASE_URL = provided.databaseUrl;
  process.env.TEMPORAL_ADDRESS = provided.temporalAddress;
  return stop;
}
