import type { ConnectionOptions } from '@temporalio/client';
import type { Logger } from '@temporalio/common';
import type { TemporalSettings } from './caller';
import { type OpenTemporal, openTemporal } from './connection';
import {
  type ChainTarget,
  type RunReset,
  type RunSignal,
  TemporalCallError,
  type TemporalPort,
  type WorkflowStart,
} from './port';

/** How a trigger reaches the server of one Temporal namespace. */
export interface NamespaceOptions {
  /** As `Connection.connect` takes it. */
  connection: ConnectionOptions;
}

/** Which server has which namespaces. */
export interface TemporalServers {
  /** The server of every namespace that `namespaces` does not name. */
  connection?: ConnectionOptions | undefined;
  namespaces?: Record<string, NamespaceOptions> | undefined;
}

/**
 * Connect to the servers of a trigger. One of several that does not answer holds up only its own namespaces; it is called
 * again for as long as there is something to start.
 *
 * @throws {TemporalUnreachableError} when none of them answers in its `connectTimeout`
 */
export async function connectServers(
  { connection, namespaces = {} }: TemporalServers,
  settings: TemporalSettings,
  logger: Logger,
): Promise<TemporalPort> {
  const named = Object.entries(namespaces).map(
    ([namespace, options]) => [namespace, openTemporal(options.connection, settings)] as const,
  );
  const others = connection || named.length === 0 ? openTemporal(connection ?? {}, settings) : undefined;
  const temporal = new TemporalRoutes(new Map(named.map(([name, { port }]) => [name, port])), others?.port);
  const all: (readonly [string | undefined, OpenTemporal])[] = others ? [...named, [undefined, others]] : named;
  const outcomes = await Promise.allSettled(all.map(([, { ensureConnected }]) => ensureConnected()));
  const unreachable = outcomes.flatMap((outcome, index) =>
    outcome.status === 'rejected' ? [{ namespace: all[index]![0], error: outcome.reason as Error }] : [],
  );
  if (unreachable.length === all.length) {
    await temporal.close();
    throw unreachable[0]!.error;
  }
  for (const { namespace, error } of unreachable) {
    logger.warn('Temporal does not answer yet; what is due there waits', { namespace, error: error.message });
  }
  return temporal;
}

/** One Temporal out of several servers: the namespace says which of them a call is for. */
class TemporalRoutes implements TemporalPort {
  constructor(
    private readonly byNamespace: ReadonlyMap<string, TemporalPort>,
    private readonly others: TemporalPort | undefined,
  ) {}

  async startWorkflow(start: WorkflowStart) {
    return this.#of(start.firing.namespace).startWorkflow(start);
  }

  async describeChain(namespace: string, workflowId: string, runId?: string) {
    return this.#of(namespace).describeChain(namespace, workflowId, runId);
  }

  async retention(namespace: string) {
    return this.#of(namespace).retention(namespace);
  }

  async failedStep(namespace: string, workflowId: string, runId: string) {
    return this.#of(namespace).failedStep(namespace, workflowId, runId);
  }

  async resetPoint(namespace: string, workflowId: string, runId: string, eventId?: number) {
    return this.#of(namespace).resetPoint(namespace, workflowId, runId, eventId);
  }

  async reset(run: RunReset) {
    return this.#of(run.namespace).reset(run);
  }

  async signal(run: RunSignal) {
    return this.#of(run.namespace).signal(run);
  }

  async requestCancel(target: ChainTarget, request: { requestId: string; reason: string }) {
    return this.#of(target.namespace).requestCancel(target, request);
  }

  async terminate(target: ChainTarget, request: { reason: string }) {
    return this.#of(target.namespace).terminate(target, request);
  }

  async listStates(namespace: string, workflowIds: string[]) {
    return this.#of(namespace).listStates(namespace, workflowIds);
  }

  async listRuns(namespace: string, since: Date, stop: AbortSignal) {
    return this.#of(namespace).listRuns(namespace, since, stop);
  }

  async close(): Promise<void> {
    const ports = [...this.byNamespace.values(), ...(this.others ? [this.others] : [])];
    await Promise.all(ports.map((port) => port.close()));
  }

  #of(namespace: string): TemporalPort {
    const port = this.byNamespace.get(namespace) ?? this.others;
    if (port) return port;
    throw new TemporalCallError(
      `this trigger has no connection for namespace '${namespace}'; name it in 'namespaces', or give a 'connection' for all others`,
      'away',
      { unsent: true },
    );
  }
}
