import { Client, Connection } from '@temporalio/client';
import type { Command } from 'commander';
import { migrate } from '../migrations';
import { serve } from '../server';
import { dev } from './dev';
import type { Environment } from './environment';
import { print } from './output';
import { onStopSignal } from './signals';

/** `escapement dev`: a Postgres and a Temporal server to develop against. */
export function addDevCommand(program: Command, environment: Environment): void {
  program
    .command('dev')
    .description(
      'Start a Postgres and a Temporal server with its Web UI on free ports, migrated, and the dashboard and HTTP API on them, until Ctrl-C.',
    )
    .option('--data <directory>', 'keep their state here (default: nothing is kept)')
    .option('--json', 'print one line of JSON when ready')
    .action(async (options: { data?: string; json?: boolean }) => {
      const stop = new AbortController();
      onStopSignal(() => stop.abort());
      await dev({
        json: options.json ?? false,
        data: options.data,
        databaseUrl: environment.databaseUrl,
        temporalAddress: environment.temporalAddress,
        migrate: async (databaseUrl) => {
          await migrate({ connectionString: databaseUrl, schema: environment.schema });
        },
        serve: (servers) => serveApi(environment, servers),
        stop: stop.signal,
        write: print,
        progress: (line) => console.error(line),
      });
    });
}

async function serveApi(
  { schema, identity }: Environment,
  servers: { databaseUrl: string; temporalAddress: string; temporalUi: string | undefined; namespace: string },
) {
  const connection = Connection.lazy({ address: servers.temporalAddress });
  const server = await serve({
    connectionString: servers.databaseUrl,
    schema,
    port: 0,
    namespace: servers.namespace,
    identity,
    temporal: new Client({ connection }),
    temporalUi: servers.temporalUi,
  });
  const close = async () => {
    await server.close();
    await connection.close();
  };
  return { url: server.url, close };
}
