import type { Command } from 'commander';
import { migrate } from '../migrations';
import { passwordBy } from './database-password';
import { type DevOptions, dev } from './dev';
import type { Environment } from './environment';
import { parseTexts } from './options/arguments';
import { temporalClients, temporalOf } from './options/namespaces';
import { print } from './output/output';
import { onStopSignal } from './signals';

export function addDevCommand(program: Command, environment: Environment): void {
  program
    .command('dev')
    .description(
      'Start a migrated Postgres, a Temporal server with its Web UI, the dashboard and the HTTP API, on free ports, until Ctrl-C. If DATABASE_URL is set, that Postgres is used and migrated; if a server answers at TEMPORAL_ADDRESS, that server is used.',
    )
    .option('--data <directory>', 'folder that keeps their state (default: nothing is kept)')
    .option(
      '--allow-host <name>',
      "host name of a proxy on this machine, with its port unless 80 or 443. Its requests need no token until the first token is made; may be repeated (default: only this machine's own names)",
      parseTexts,
    )
    .option('--json', 'print one line of JSON when ready')
    .action(async (options: { data?: string; allowHost?: string[]; json?: boolean }) => {
      const stop = new AbortController();
      onStopSignal(() => stop.abort());
      await dev({
        json: options.json ?? false,
        data: options.data,
        databaseUrl: environment.databaseUrl,
        ...givenTemporal(environment),
        migrate: async (databaseUrl) => {
          await migrate({ ...postgresAt(environment, databaseUrl), schema: environment.schema });
        },
        serve: (servers) => serveApi(environment, servers, options.allowHost),
        stop: stop.signal,
        write: print,
        progress: (line) => console.error(line),
      });
    });
}

/** The Temporal server of TEMPORAL_ADDRESS. Without that variable, Temporal's configuration is not read. */
function givenTemporal(environment: Environment) {
  const { temporalAddress } = environment;
  if (!temporalAddress) return {};
  const { connectionOptions, namespace } = environment.temporal();
  return { temporalAddress, temporalConnection: connectionOptions, temporalNamespace: namespace || undefined };
}

/** How to connect to Postgres. The password command is only for a Postgres that DATABASE_URL names. */
function postgresAt({ databaseUrl, databasePasswordCommand }: Environment, connectionString: string) {
  const password = databaseUrl ? passwordBy(databasePasswordCommand) : undefined;
  return { connectionString, ...(password && { password }) };
}

async function serveApi(
  environment: Environment,
  servers: Parameters<NonNullable<DevOptions['serve']>>[0],
  allowedHosts: string[] | undefined,
) {
  const given = servers.isGiven ? temporalOf(environment, {}) : { connection: {}, namespaces: {} };
  const temporal = temporalClients({ ...given, connection: { ...given.connection, address: servers.temporalAddress } });
  // Loaded only here, so that commands without the HTTP API start faster.
  const { serve } = await import('../server/index.js');
  const server = await serve({
    ...postgresAt(environment, servers.databaseUrl),
    schema: environment.schema,
    port: 0,
    allowedHosts,
    namespace: servers.namespace,
    identity: environment.identity,
    temporal: temporal.of,
    temporalUi: servers.temporalUi,
  });
  const close = async () => {
    await server.close();
    await temporal.close();
  };
  return { url: server.url, close };
}
