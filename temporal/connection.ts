import { Connection, type ConnectionOptions } from '@temporalio/client';
import { TemporalUnreachableError } from '../core/errors';
import { type Advice, adviceOn } from './advice';
import { withFitKey } from './api-key';
import { TemporalCaller, type TemporalSettings } from './caller';
import { describeChain, requestCancel, reset, signal, terminate } from './chains';
import { reasonOf } from './errors';
import { failedStep, resetPoint } from './history';
import { listEnds, listRuns, retention } from './lists';
import type { ChainTarget, EndedRunsPage, RunReset, RunSignal, RunsPage, TemporalPort, WorkflowStart } from './port';
import { SCHEDULED_PROBE, ScheduledAttributes } from './scheduled-attributes';
import { startWorkflow } from './start';

export type { TemporalSettings } from './caller';

/** How long to wait for the reason why a connection failed; a channel reports the reason as soon as it knows one. */
const ASKED_WHY_MILLISECONDS = 2_000;

/** A connection that opens at its first call, and again whenever it was lost. */
export interface OpenTemporal {
  port: TemporalPort;
  /**
   * Waits until the server answers. May be called again after a failure.
   *
   * @throws {TemporalUnreachableError} if the server does not answer, or refuses; its cause says why
   */
  ensureConnected(): Promise<void>;
}

/**
 * A trigger's connection to one Temporal server. The SDK's own retries are switched off, since they would send the same
 * bytes again for many seconds within one call.
 *
 * @throws {InvalidOptionError} for an API key or another header that cannot be sent
 */
export function openTemporal(given: ConnectionOptions, settings: TemporalSettings): OpenTemporal {
  const options = withFitKey(given);
  const caller = new TemporalCaller(
    () =>
      Connection.lazy({
        connectTimeout: settings.deadlineMilliseconds,
        ...options,
        interceptors: options.interceptors ?? [],
        // Without this option, connections share subchannels by address, and a new connection would wait for the
        // attempts of the one that it replaces.
        channelArgs: { 'grpc.use_local_subchannel_pool': 1, ...options.channelArgs },
      }),
    settings,
  );
  return {
    port: new ConnectedTemporal(caller),
    ensureConnected: async () => {
      const { connection } = caller;
      try {
        return await connection.ensureConnected();
      } catch {
        // A call that waits for a connection only reports that there is none. A second call reports the reason.
      }
      try {
        await caller.call(() => caller.service.getSystemInfo({}));
      } catch (error) {
        const to = { ...options, address: connection.options.address };
        const { says, toDo } = adviceOn(error, to) ?? { says: reasonOf(error), toDo: '' };
        throw new TemporalUnreachableError([says, toDo].filter(Boolean).join('; '), { cause: error });
      }
    },
  };
}

/**
 * Connects once more to a server that could not be reached, to learn the reason. The new connection does not retry
 * calls, since retries would hide the network's error. Returns undefined if the server answers now, or the reason is
 * unknown.
 */
export async function whyUnreached(options: ConnectionOptions): Promise<Advice | undefined> {
  const channelArgs = { 'grpc.use_local_subchannel_pool': 1, ...options.channelArgs };
  const connection = Connection.lazy({ ...options, interceptors: [], channelArgs });
  try {
    const call = () => connection.workflowService.getSystemInfo({});
    await connection.withDeadline(Date.now() + ASKED_WHY_MILLISECONDS, call);
    return undefined;
  } catch (error) {
    return adviceOn(error, { ...options, address: connection.options.address });
  } finally {
    await connection.close();
  }
}

/**
 * Like {@link openTemporal}, with the same errors, but the server must answer now.
 *
 * @throws {TemporalUnreachableError} if the server does not answer, or refuses
 */
export async function connectTemporal(options: ConnectionOptions, settings: TemporalSettings): Promise<TemporalPort> {
  const { port, ensureConnected } = openTemporal(options, settings);
  try {
    await ensureConnected();
    return port;
  } catch (error) {
    await port.close();
    throw error;
  }
}

class ConnectedTemporal implements TemporalPort {
  readonly #scheduledAttributes = new ScheduledAttributes((namespace) =>
    this.caller.call(() =>
      this.caller.service.listWorkflowExecutions({ namespace, pageSize: 1, query: SCHEDULED_PROBE }),
    ),
  );

  constructor(private readonly caller: TemporalCaller) {}

  startWorkflow(start: WorkflowStart) {
    return startWorkflow(this.caller, start, this.#scheduledAttributes);
  }

  describeChain(namespace: string, workflowId: string, runId?: string) {
    return describeChain(this.caller, namespace, workflowId, runId);
  }

  async listEnds(namespace: string, page: EndedRunsPage) {
    const onlyScheduled = await this.#scheduledAttributes.areTakenIn(namespace);
    return listEnds(this.caller, namespace, { ...page, onlyScheduled });
  }

  requestCancel(target: ChainTarget, request: { requestId: string; reason: string }) {
    return requestCancel(this.caller, target, request);
  }

  terminate(target: ChainTarget, request: { reason: string }) {
    return terminate(this.caller, target, request);
  }

  reset(run: RunReset) {
    return reset(this.caller, run);
  }

  signal(run: RunSignal) {
    return signal(this.caller, run);
  }

  failedStep(namespace: string, workflowId: string, runId: string) {
    return failedStep(this.caller, { namespace, execution: { workflowId, runId } });
  }

  resetPoint(...[namespace, workflowId, runId, ...rest]: Parameters<TemporalPort['resetPoint']>) {
    return resetPoint(this.caller, { namespace, execution: { workflowId, runId } }, ...rest);
  }

  listRuns(namespace: string, page: RunsPage) {
    return listRuns(this.caller, namespace, page);
  }

  retention(namespace: string) {
    return retention(this.caller, namespace);
  }

  async close(): Promise<void> {
    await this.caller.close();
  }
}
