import { Connection, type ConnectionOptions } from '@temporalio/client';
import type { AttributeInUse, RouteInUse } from '../../store/doctor/schedules';
import type { NamespaceOptions } from '../../temporal/routes';
import type { Check, Finding } from '../finding';
import { runChecks } from '../run-checks';
import { CALL_MILLISECONDS, type NamespaceContext } from './context';
import { checkNamespace } from './namespace';
import { checkSearchAttributes } from './search-attributes';
import { checkTaskQueues } from './task-queues';

/** Where Temporal is. */
export interface TemporalServers {
  /** The server of every namespace that `namespaces` does not name. */
  connection: ConnectionOptions;
  namespaces: Record<string, NamespaceOptions>;
  /** Asked where no schedule names one. */
  namespace: string;
}

/** What schedules use of it. */
export interface InUse {
  routes: RouteInUse[];
  attributes: AttributeInUse[];
}

/** Ask each namespace that a schedule starts in, side by side. */
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
  // Without retries, which would hide what the network said.
  const opened = Connection.lazy({ connectTimeout: CALL_MILLISECONDS, ...own, interceptors: own.interceptors ?? [] });
  const at: NamespaceContext = { namespace, ...inUse, connection: opened, options: own };
  try {
    const findings = await checkNamespace(at);
    // Of one that does not answer there is nothing more to learn.
    if (findings.some(({ severity }) => severity === 'critical')) return findings;
    return [...findings, ...(await checkTaskQueues(at)), ...(await checkSearchAttributes(at))];
  } finally {
    await opened.close();
  }
}
