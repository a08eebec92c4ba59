import type { ConnectionOptions } from '@temporalio/client';
import type { Logger } from '@temporalio/common';
import type { TemporalSettings } from './caller';
import { type OpenTemporal, openTemporal } from './connection';
import { TemporalCallError, type TemporalPort } from './port';
import type { TemporalServers } from './temporal';

/** How a trigger connects to the server of one Temporal namespace. */
export interface NamespaceOptions {
  /** The connection options, as `Connection.connect` takes them. */
  connection: ConnectionOptions;
}

/** Which server has which namespaces. */
export interface TemporalRoutes {
  /** The server of every namespace that `namespaces` does not name. */
  connection?: ConnectionOptions | undefined;
  namespaces?: Record<string, NamespaceOptions> | undefined;
}

/**
 * Connect to the servers of a trigger. A server that does not answer blocks only its own namespaces. While firings wait
 * to start there, the trigger keeps calling that server.
 *
 * @throws {TemporalUnreachableError} when none of the servers answers within its `connectTimeout`
 */
export async function connectServers(
  { connection, namespaces = {} }: TemporalRoutes,
  settings: TemporalSettings,
  logger: Logger,
): Promise<TemporalServers> {
  const named = Object.entries(namespaces).map(
    ([namespace, options]) => [namespace, openTemporal(options.connection, settings)] as const,
  );
  const others = connection || named.length === 0 ? openTemporal(connection ?? {}, settings) : undefined;
  const ports = new Map(named.map(([name, { port }]) => [name, port]));
  const servers: TemporalServers = {
    of: (namespace) => serverOf(namespace, ports.get(namespace) ?? others?.port),
    close: async () => {
      await Promise.all([...ports.values(), ...(others ? [others.port] : [])].map((port) => port.close()));
    },
  };
  const all: (readonly [string | undefined, OpenTemporal])[] = others ? [...named, [undefined, others]] : named;
  const outcomes = await Promise.allSettled(all.map(([, { ensureConnected }]) => ensureConnected()));
  const unreachable = outcomes.flatMap((outcome, index) =>
    outcome.status === 'rejected' ? [{ namespace: all[index]![0], error: outcome.reason as Error }] : [],
  );
  if (unreachable.length === all.length) {
    await servers.close();
    throw unreachable[0]!.error;
  }
  for (const { namespace, error } of unreachable) {
    logger.warn('Temporal does not answer yet; due firings wait', { namespace, error: error.message });
  }
  return servers;
}

/** The server of a namespace; a namespace without a configured server counts as away. */
function serverOf(namespace: string, port: TemporalPort | undefined): TemporalPort {
  if (port) return port;
  const fail = async () => {
    throw new TemporalCallError(
      `this trigger has no connection for namespace '${namespace}'; name it in 'namespaces', or give a 'connection' for all others`,
      'away',
      { unsent: true, ofNamespace: true },
    );
  };
  return {
    ...{
      startWorkflow: fail,
      describeChain: fail,
      listEnds: fail,
      retention: fail,
      failedStep: fail,
      resetPoint: fail,
    },
    ...{ reset: fail, signal: fail, requestCancel: fail, terminate: fail, listRuns: fail, close: async () => {} },
  };
}
