import type { ConnectionOptions } from '@temporalio/client';
import type { Logger } from '@temporalio/common';
import { isMistake } from './advice';
import type { TemporalSettings } from './caller';
import { type OpenTemporal, openTemporal } from './connection';
import { NoConnectionError } from './errors';
import type { TemporalPort } from './port';
import type { TemporalServers } from './temporal';

/** How a trigger connects to the server of one Temporal namespace. */
export interface NamespaceOptions {
  /** The connection options, as `Connection.connect` takes them. */
  connection: ConnectionOptions;
}

export interface TemporalRoutes {
  /** The server of every namespace that `namespaces` does not name. */
  connection?: ConnectionOptions | undefined;
  namespaces?: Record<string, NamespaceOptions> | undefined;
}

/**
 * Connect to the servers of a trigger. A server that does not answer blocks only its own namespaces.
 *
 * @throws {TemporalUnreachableError} when every server refuses the trigger, or has wrong TLS settings or a malformed address
 * @throws {InvalidOptionError} for an API key or another header that cannot be sent
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
  const servers = new RoutedServers(new Map(named), others, logger);
  try {
    await servers.reach();
  } catch (error) {
    // A trigger can claim without Temporal. The trigger asks the servers again later.
    if (!isMistake((error as Error).cause)) return servers;
    await servers.close();
    throw error;
  }
  return servers;
}

class RoutedServers implements TemporalServers {
  unreached: string | undefined;

  constructor(
    private readonly named: ReadonlyMap<string, OpenTemporal>,
    private readonly others: OpenTemporal | undefined,
    private readonly logger: Logger,
  ) {}

  of(namespace: string): TemporalPort {
    return serverOf(namespace, this.named.get(namespace)?.port ?? this.others?.port);
  }

  async reach(): Promise<void> {
    const all: (readonly [string | undefined, OpenTemporal])[] = [...this.named];
    if (this.others) all.push([undefined, this.others]);
    const outcomes = await Promise.allSettled(all.map(([, { ensureConnected }]) => ensureConnected()));
    const silent = outcomes.flatMap((outcome, index) =>
      outcome.status === 'rejected' ? [{ namespace: all[index]![0], error: outcome.reason as Error }] : [],
    );
    if (silent.length === all.length) {
      const { error } = silent.find((one) => !isMistake(one.error.cause)) ?? silent[0]!;
      this.unreached = error.message;
      throw error;
    }
    this.unreached = undefined;
    for (const { namespace, error } of silent) {
      this.logger.warn('Temporal does not answer yet; due firings wait', { namespace, error: error.message });
    }
  }

  async close(): Promise<void> {
    const all = [...this.named.values(), ...(this.others ? [this.others] : [])];
    await Promise.all(all.map(({ port }) => port.close()));
  }
}

/** The server of a namespace; a namespace without a configured server counts as away. */
function serverOf(namespace: string, port: TemporalPort | undefined): TemporalPort {
  if (port) return port;
  const fail = async () => {
    throw new NoConnectionError(namespace);
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
