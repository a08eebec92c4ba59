import { Connection, type ConnectionOptions } from '@temporalio/client';
import type { AttributeInUse, RouteInUse } from '../../store/doctor/schedules';
import type { NamespaceOptions } from '../../temporal/routes';
import type { Check, Finding } from '../finding';
import { runChecks } from '../run-checks';
import { CALL_MILLISECONDS, type NamespaceContext } from './context';
import { checkNamespace } from './namespace';
import { checkSearchAttributes } from './search-attributes';
import { checkTaskQueues } from './task-queues';

export interface TemporalServers {
  /** The server of all namespaces without a connection of their own in `namespaces`. */
  connection: ConnectionOptions;
  namespaces: Record<string, NamespaceOptions>;
  /** The namespace to check if there is no schedule that should fire, or the ledger cannot be read. */
  namespace: string;
}

export interface InUse {
  routes: RouteInUse[];
  attributes: AttributeInUse[];
}

export async function checkTemporal(
  servers: TemporalServers,
  { routes, attributes }: InUse = { routes: [], attributes: [] },
): Promise<Finding[]> {
  const names = new Set(routes.map(({ namespace }) => namespace));
  if (names.size === 0) names.add(servers.namespace);
  const checks = [...names].map((namespace): Check<undefined> => {
    const isThere = (one: { namespace: string }) => one.namespace === namespace;
    const ofNamespace = { routes: routes.filter(isThere), attributes: attributes.filter(isThere) };
    return { name: `namespace '${namespace}'`, find: () => checkOne(servers, namespace, ofNamespace) };
  });
  return runChecks(checks, undefined);
}

async function checkOne(
  { connection, namespaces }: TemporalServers,
  namespace: string,
  inUse: InUse,
): Promise<Finding[]> {
  const own = namespaces[namespace]?.connection ?? connection;
  // The connection does not retry calls, since retries would hide the network error.
  const opened = Connection.lazy({ connectTimeout: CALL_MILLISECONDS, ...own, interceptors: own.interceptors ?? [] });
  const at: NamespaceContext = { namespace, ...inUse, connection: opened, options: own };
  try {
    const findings = await checkNamespace(at);
    // After a critical finding, the calls of the other checks would fail too.
    if (findings.some(({ severity }) => severity === 'critical')) return findings;
    return [...findings, ...(await checkTaskQueues(at)), ...(await checkSearchAttributes(at))];
  } finally {
    await opened.close();
  }
}
