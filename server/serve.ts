import { isIP } from 'node:net';
import type { Logger } from '@temporalio/common';
import type { FastifyInstance } from 'fastify';
import { InvalidOptionError } from '../core/errors';
import { checkOptions } from '../core/options';
import { openStore } from '../store/connection';
import { createApp } from './app';
import { clientsOn, type ServerContext } from './context';
import { type ServeOptions, serveOptions } from './serve-options';

/** A server that answers. */
export interface ApiServer {
  /** Such as `http://127.0.0.1:8233/escapement`. */
  url: string;
  /** Answer what is under way, and stop. */
  close(): Promise<void>;
}

/** Requests beyond these wait for a connection. */
const CONNECTIONS = 10;

const QUIET: Logger = {
  log: () => undefined,
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/**
 * Serve the HTTP API. Needs Postgres alone, and answers with a problem while that is away.
 *
 * @throws {InvalidOptionError} for a host that is not loopback, and for an option that cannot be
 * @throws {Error} when the port cannot be had, such as `EADDRINUSE`
 * @see `docs/running.md`
 */
export async function serve(options: ServeOptions): Promise<ApiServer> {
  checkOptions(serveOptions, options);
  const { host = '127.0.0.1', port } = options;
  if (!isLoopback(host)) {
    throw new InvalidOptionError(
      'host',
      `'${host}' can be reached by others, and nothing says who may do what; listen on 127.0.0.1`,
    );
  }
  const { app, context, close } = open(options);
  try {
    const address = await app.listen({ port, host });
    return { url: `${address}${context.basePath}`, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The server without its socket. */
export function open(options: Omit<ServeOptions, 'port' | 'host'>): {
  app: FastifyInstance;
  context: ServerContext;
  close(): Promise<void>;
} {
  const basePath = (options.basePath ?? '').replace(/\/+$/, '');
  const { tenant, identity = 'api', namespace, dataConverter, temporal, now, logger = QUIET } = options;
  const { pool, connectionString, schema } = options;
  const store = openStore({
    pool,
    connectionString,
    schema,
    connectionsAtMost: options.connectionsAtMost ?? CONNECTIONS,
  });
  const context: ServerContext = {
    store,
    tenant,
    identity,
    basePath,
    logger,
    now: now ?? (() => new Date()),
    clientOf: clientsOn(store, { namespace, dataConverter, temporal, now }),
  };
  const app = createApp(context);
  const close = async () => {
    await app.close();
    await store.close();
  };
  return { app, context, close };
}

function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}
