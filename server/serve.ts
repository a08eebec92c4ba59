import type { Logger } from '@temporalio/common';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { AlertWebhook } from '../alerts/webhooks';
import { InvalidOptionError, PostgresUnreachableError, SchemaNotMigratedError } from '../core/errors';
import { checkOptions } from '../core/options';
import { Complaint } from '../logging/complaint';
import { openStore } from '../store/connection';
import { jwtReader } from './access/oidc';
import { RateLimit } from './access/rate';
import { SpecsInUse } from './agenda/specs';
import { createApp } from './app';
import { BulkWorker } from './bulk/worker';
import { LedgerClock } from './clock';
import { clientsOn, contextsOfRequests, type ServerContext } from './context';
import { healthOf } from './health';
import { hostAndPortOf, isLoopback } from './loopback';
import { ServerMetrics } from './metrics';
import type { Health } from './operations';
import { asksWho } from './plugins/auth';
import { type ServeOptions, serveOptions } from './serve-options';
import { TriggerWatch } from './watch-triggers';

/** A running server. */
export interface ApiServer {
  /** The URL of the server, such as `http://127.0.0.1:8233/escapement`. */
  url: string;
  /**
   * Whether callers had to identify themselves at the start: `false` on loopback, if no issuer is configured, and the
   * ledger had no token or could not be read.
   */
  asksWho: boolean;
  /** The metrics of the server's requests, for Prometheus: see `docs/metrics.md`. */
  metrics: Registry;
  /** Whether the server can answer from the ledger now. */
  health(): Promise<Health>;
  /** Finish the current requests, and stop. */
  close(): Promise<void>;
}

/**
 * The default size of the connection pool. With it, the requests of one tenant get four connections, on which the
 * overview makes its eight parallel reads. More connections would take capacity of Postgres from the triggers.
 */
const CONNECTIONS = 8;

const WATCH_MILLISECONDS = 5_000;

const REQUESTS_PER_SECOND = 100;

const QUIET: Logger = {
  log: () => undefined,
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/**
 * Serve the HTTP API. The server needs only Postgres, and answers with a problem while Postgres is away. On a host that
 * others can reach, or with `requireToken`, it starts only with `oidc`, or if Postgres answers and the ledger has or had
 * a token.
 *
 * @throws {InvalidOptionError} for an option that is not allowed
 * @throws {InvalidOptionError} for a host that others can reach, or `requireToken`, without any tokens or issuer
 * @throws {PostgresUnreachableError} for such a host or `requireToken` without `oidc`, if Postgres does not answer
 * @throws {SchemaNotMigratedError} for such a host or `requireToken` without `oidc`, if the ledger is not migrated
 * @throws {Error} if the port cannot be opened, such as `EADDRINUSE`
 * @see `docs/running.md`
 */
export async function serve(options: ServeOptions): Promise<ApiServer> {
  checkOptions(serveOptions, options);
  const { host = '127.0.0.1', port, requireToken = false } = options;
  const { app, context, close } = open(options);
  const { registry: metrics } = context.metrics;
  try {
    const mayStartFirst = isLoopback(host) && !requireToken;
    const isAsking = options.oidc !== undefined || (await hasTokensYet(context, mayStartFirst));
    if (!isLoopback(host) && !isAsking) {
      throw new InvalidOptionError(
        'host',
        `'${host}' can be reached by others, and nothing says who may do what: make a token ('escapement token create'), set up OIDC, or listen on 127.0.0.1`,
      );
    }
    if (requireToken && !isAsking) {
      throw new InvalidOptionError(
        'requireToken',
        "nothing says who may do what: make a token ('escapement token create'), or set up OIDC",
      );
    }
    // For `localhost`, Fastify would open a server for each of its addresses. At a stop, only the connections of one of
    // them are ended.
    const address = await app.listen({ port, host: host === 'localhost' ? '127.0.0.1' : host });
    // The specs are read now, before a request needs them. If this read fails, such a request repeats it.
    context.specs.current().catch(() => undefined);
    return { url: `${address}${context.basePath}`, asksWho: isAsking, metrics, health: () => healthOf(context), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Whether the ledger ever had a token. For a server that may start before the first token, false if Postgres does not
 * answer or the ledger is not migrated.
 *
 * @throws the errors of the store for any other server
 */
async function hasTokensYet(context: ServerContext, mayStartFirst: boolean): Promise<boolean> {
  try {
    return await asksWho(context);
  } catch (error) {
    const isAway = error instanceof PostgresUnreachableError || error instanceof SchemaNotMigratedError;
    if (isAway && mayStartFirst) return false;
    throw error;
  }
}

/** Creates the server without its socket. */
export function open(options: Omit<ServeOptions, 'port' | 'host'>): {
  app: FastifyInstance;
  bulk: BulkWorker;
  context: ServerContext;
  close(): Promise<void>;
} {
  const basePath = (options.basePath ?? '').replace(/\/+$/, '');
  const { tenant, identity = 'api', temporalUi, namespace, dataConverter, temporal, now, logger = QUIET } = options;
  const { pool, connectionString, password, schema } = options;
  const { connectionsAtMost = CONNECTIONS, queryTimeoutMilliseconds, preparedStatements } = options;
  const store = openStore(
    { pool, connectionString, password, schema, connectionsAtMost, queryTimeoutMilliseconds, preparedStatements },
    // Prepared plans are kept, since requests send the same statements again and again.
    { keepsPlans: true },
  );
  const clock = new LedgerClock(store, now);
  const clients = { namespace, dataConverter, temporal, now };
  const context: ServerContext = {
    store,
    tenant,
    identity,
    basePath,
    temporalUi,
    logger,
    metrics: new ServerMetrics(options.metrics),
    access: {
      readJwt: options.oidc && jwtReader(options.oidc),
      rate: new RateLimit(options.requestsPerSecond ?? REQUESTS_PER_SECOND),
      allowedHosts: (options.allowedHosts ?? []).map((name) => hostAndPortOf(`http://${name}`)),
    },
    specs: new SpecsInUse(store),
    now: () => clock.now(),
    setClock: () => clock.set(),
    ...clientsOn(store, clients),
    ofRequests: contextsOfRequests(() => context, clients),
    bulk: { wake: () => bulk.wake() },
  };
  // Bulk changes do not use the connections of requests. Otherwise requests would wait behind many short transactions.
  const bulk = new BulkWorker(context);
  bulk.start();
  const app = createApp(context);
  const watching = watchTriggers(context, options.alerts?.webhooks ?? []);
  const close = async () => {
    clearInterval(watching);
    // Side by side, since each may take most of the time that the server has to stop.
    await Promise.all([bulk.stop(), app.close()]);
    await store.close();
  };
  return { app, bulk, context, close };
}

function watchTriggers(context: ServerContext, webhooks: AlertWebhook[]): NodeJS.Timeout | undefined {
  if (webhooks.length === 0) return undefined;
  const { store, logger, now, setClock } = context;
  // The client has no tenant, since triggers work for all tenants.
  const client = context.clientOf({ actor: context.identity, tenant: undefined });
  const watch = new TriggerWatch({ client, store, webhooks, logger, now });
  const complaint = new Complaint(logger, {
    failing: 'whether a trigger is alive is not known; trying again',
    over: 'whether a trigger is alive is known again',
  });
  let isChecking = false;
  const check = async () => {
    if (isChecking) return;
    isChecking = true;
    await setClock();
    await watch.check().then(
      () => complaint.over(),
      ({ message }) => complaint.failed(message),
    );
    isChecking = false;
  };
  return setInterval(check, WATCH_MILLISECONDS).unref();
}
