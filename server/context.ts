import type { Client } from '@temporalio/client';
import type { DataConverter, Logger } from '@temporalio/common';
import { EscapementClient } from '../client/client';
import { type ClientContext, clientContext } from '../client/context';
import { type OpenStore, poolOf } from '../store/connection';
import type { SpecsInUse } from './agenda/specs';
import type { Caller } from './caller';
import type { ServerMetrics } from './metrics';
import type { Access } from './plugins/access';

/** What all requests share. */
export interface ServerContext {
  store: OpenStore;
  /** The only tenant that anybody sees here; undefined for all. */
  tenant: string | undefined;
  /** Who makes the changes of callers without a name. */
  identity: string;
  /** Such as `/escapement`; empty for none. */
  basePath: string;
  /** Address of Temporal's UI; undefined where nobody said it. */
  temporalUi: string | undefined;
  logger: Logger;
  metrics: ServerMetrics;
  access: Access;
  /** The specs of all schedules, by when they fire. */
  specs: SpecsInUse;
  now: () => Date;
  /** A client that sees and writes what the caller may. */
  clientOf(caller: Pick<Caller, 'actor' | 'tenant'>): EscapementClient;
  /** The same for what is not of a client's calls. */
  contextOf(caller: Pick<Caller, 'actor' | 'tenant'>): ClientContext;
  /** Carries out changes of many schedules. */
  bulk: { wake(): void };
}

/** How clients of callers are made. */
export interface ClientsOptions {
  namespace: string | undefined;
  dataConverter: DataConverter | undefined;
  temporal: Client | undefined;
  now: (() => Date) | undefined;
}

/** Each is small, and made again where it was let go. */
const KEPT_AT_MOST = 1_000;

/** Makes and keeps a client for each caller, all on the connections of one store. */
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

/** One for each caller, which is kept. */
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
