import { Client, Connection } from '@temporalio/client';
import { type Command, Option } from 'commander';
import { serve } from '../server';
import { pinoLogger } from '../trigger/logging';
import { parsePort } from './arguments';
import { type ClientOptions, type Environment, postgresOf, withTenant } from './environment';
import { print, printJson } from './output';
import { onStopSignal } from './signals';

interface ServeFlags extends ClientOptions {
  port: number;
  host?: string;
  basePath?: string;
  logLevel?: string;
  json?: boolean;
}

/** `escapement serve`: the HTTP API. */
export function addServeCommand(program: Command, environment: Environment): void {
  withTenant(program.command('serve'))
    .description('Serve the HTTP API, until SIGTERM or SIGINT.')
    .requiredOption('--port <port>', '0 for any free port', parsePort)
    .option('--host <host>', 'address to listen on (default: 127.0.0.1)')
    .option('--base-path <path>', 'what an ingress leaves before the paths, such as /escapement (default: none)')
    .addOption(
      new Option('--log-level <level>', 'default: ESCAPEMENT_LOG_LEVEL, else info').choices([
        'trace',
        'debug',
        'info',
        'warn',
        'error',
      ]),
    )
    .option('--json', 'print where it is as one line of JSON')
    .action(async (options: ServeFlags) => {
      const stop = new AbortController();
      onStopSignal(() => stop.abort());
      const { connectionOptions, namespace } = environment.temporal();
      // Connects at the first call: most requests need none.
      const connection = Connection.lazy(connectionOptions);
      const tenant = options.tenant ?? (environment.tenant || undefined);
      try {
        const server = await serve({
          ...postgresOf(environment, options),
          port: options.port,
          host: options.host,
          basePath: options.basePath,
          tenant,
          namespace: namespace || undefined,
          identity: environment.identity,
          temporal: new Client({ connection }),
          logger: pinoLogger(options.logLevel ?? environment.logLevel),
        });
        if (options.json) printJson({ url: server.url });
        else print(`The HTTP API is at ${server.url}; ${server.url}/docs describes it.`);
        await aborted(stop.signal);
        await server.close();
      } finally {
        await connection.close();
      }
    });
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
