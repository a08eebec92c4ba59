import type { DataConverter, Logger } from '@temporalio/common';
import { AT_ONCE as BULK_AT_ONCE } from '../client/bulk/run-bulk';
import { EscapementClient } from '../client/client';
import type { TemporalClients } from '../client/client-options';
import { type ClientContext, clientContext } from '../client/context';
import { type OpenStore, poolOf } from '../store/connection';
import type { SpecsInUse } from './agenda/specs';
import type { Caller } from './caller';
import type { ServerMetrics } from './metrics';
import type { Access } from './plugins/access';

export interface ServerContext {
  store: OpenStore;
  /** The only tenant that this server serves; undefined for all tenants. */
  tenant: string | undefined;
  /** The actor with which changes of callers without a name are recorded. */
  identity: string;
  /** Path prefix such as `/escapement`; empty for none. */
  basePath: string;
  /** The address of Temporal's UI; undefined if none is configured. */
  temporalUi: string | undefined;
  logger: Logger;
  metrics: ServerMetrics;
  access: Access;
  specs: SpecsInUse;
  /** The ledger's clock; {@link setClock} keeps it right. */
  now: () => Date;
  setClock: () => Promise<void>;
  /** A client with the name and the tenant of the caller. */
  clientOf(caller: Pick<Caller, 'actor' | 'tenant'>): EscapementClient;
  /** The context of the caller's client, for reads for which the client has no method. */
  contextOf(caller: Pick<Caller, 'actor' | 'tenant'>): ClientContext;
  /**
   * The context for requests of a tenant or, without one, of callers for all tenants. Its store has a part of the
   * connections.
   */
  ofRequests(tenant: string | undefined): ServerContext;
  bulk: { wake(): void };
}

export interface ClientsOptions {
  namespace: string | undefined;
  dataConverter: DataConverter | undefined;
  temporal: TemporalClients | undefined;
  now: (() => Date) | undefined;
}

/** A client is small, and is created again if it was dropped from the cache. */
const KEPT_AT_MOST = 1_000;

/** Creates and caches a client for each caller, all on the connections of one store. */
export function clientsOn(store: OpenStore, options: ClientsOptions): Pick<ServerContext, 'clientOf' | 'contextOf'> {
  const pool = poolOf(store);
  const { namespace, dataConverter, temporal, now } = options;
  const shared = {
    pool,
    schema: store.schema,
    ...(namespace === undefined ? {} : { namespace }),
    ...(dataConverter === undefined ? {} : { dataConverter }),
    ...(temporal === undefined ? {} : { temporal }),
    ...(now === undefined ? {} : { now }),
  };
  const optionsOf = ({ actor, tenant }: Pick<Caller, 'actor' | 'tenant'>) => ({
    ...shared,
    identity: actor,
    ...(tenant === undefined ? {} : { tenant }),
  });
  return {
    clientOf: perCaller((caller) => new EscapementClient(optionsOf(caller))),
    contextOf: perCaller((caller) => clientContext(optionsOf(caller))),
  };
}

/**
 * Creates and caches the context of each tenant's requests, readers of events included. With five connections or more,
 * requests and bulk changes leave one connection free. The server uses it to find out whether it is ready, and who a
 * caller is. On a server for all tenants, one tenant cannot take all connections of requests, since its slow reads
 * would then hold up all others.
 */
export function contextsOfRequests(server: () => ServerContext, options: ClientsOptions): ServerContext['ofRequests'] {
  const kept = new Map<string | undefined, ServerContext>();
  let all: OpenStore | undefined;
  return (tenant) => {
    const known = kept.get(tenant);
    if (known) return known;
    const { connectionsAtMost } = server().store;
    const requestsAtMost = connectionsAtMost - BULK_AT_ONCE - 1;
    all ??= server().store.share(requestsAtMost);
    const isOneOfMany = tenant !== undefined && server().tenant === undefined;
    const store = isOneOfMany ? all.share(requestsAtMost - 1) : all;
    const made = { ...server(), store, ...clientsOn(store, options) };
    if (kept.size >= KEPT_AT_MOST) kept.delete(kept.keys().next().value);
    kept.set(tenant, made);
    return made;
  };
}

function perCaller<Made>(make: (caller: Pick<Caller, 'actor' | 'tenant'>) => Made) {
  const kept = new Map<string, Made>();
  return ({ actor, tenant }: Pick<Caller, 'actor' | 'tenant'>): Made => {
    const key = JSON.stringify([actor, tenant]);
    const known = kept.get(key);
    if (known) return known;
    const made = make({ actor, tenant });
    if (kept.size >= KEPT_AT_MOST) kept.delete(kept.keys().next().value!);
    kept.set(key, made);
    return made;
  };
}
