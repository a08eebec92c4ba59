import { setTimeout } from 'node:timers/promises';
import { Connection, type ConnectionOptions } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { TemporalUnreachableError } from '../core/errors';
import type { FailedStep } from '../core/failed-step';
import { findResetPoint, type ResetPoint } from '../core/reset-point';
import { failedStepOf } from './close-failure';
import { chainOf, dateOf, read } from './described-chain';
import { SCHEDULED_PROBE, ScheduledAttributes } from './scheduled-attributes';
import { startRequest } from './start-request';
import {
  type Chain,
  type ChainTarget,
  type FiringMemo,
  type ListedRun,
  type RunReset,
  type RunSignal,
  TemporalCallError,
  type TemporalPort,
  type WorkflowStart,
} from './temporal';
import { grpcCodeOf, grpcStatus, isMissing, isUnsent, kindOf, reasonOf } from './temporal-errors';

const { WorkflowExecutionStatus } = temporal.api.enums.v1;

/** How a trigger calls Temporal. */
export interface TemporalSettings {
  deadlineMilliseconds: number;
  identity: string;
  /** How long a workflow task waits for a worker before its chain counts as stalled. */
  stalledAfterMilliseconds: number;
}

/**
 * Connect to Temporal for a trigger. The SDK's own retries are off: within one call they would repeat the same bytes for
 * many seconds, while the trigger recomputes each attempt under the same request ID.
 *
 * @throws {TemporalUnreachableError} when nothing answers in `connectTimeout`
 */
export async function connectTemporal(options: ConnectionOptions, settings: TemporalSettings): Promise<TemporalPort> {
  const connection = Connection.lazy({
    connectTimeout: settings.deadlineMilliseconds,
    ...options,
    interceptors: options.interceptors ?? [],
  });
  try {
    await connection.ensureConnected();
  } catch (error) {
    await connection.close();
    throw new TemporalUnreachableError(
      `Temporal cannot be reached at ${connection.options.address} (${reasonOf(error)}); check that it is running and that TEMPORAL_ADDRESS is right`,
      { cause: error },
    );
  }
  return new ConnectedTemporal(connection, settings);
}

/** The events at the end of a history among which the failed step is looked for. */
const FAILURE_EVENTS = 100;
const HISTORY_PAGE = 500;

/** Between two pages of a list. */
const LIST_PAUSE_MILLISECONDS = 250;

class ConnectedTemporal implements TemporalPort {
  private readonly scheduledAttributes = new ScheduledAttributes((namespace) =>
    this.call(() =>
      this.connection.workflowService.listWorkflowExecutions({ namespace, pageSize: 1, query: SCHEDULED_PROBE }),
    ),
  );

  constructor(
    private readonly connection: Connection,
    private readonly settings: TemporalSettings,
  ) {}

  async startWorkflow(start: WorkflowStart): Promise<{ runId: string }> {
    const { namespace } = start.firing;
    const scheduled = await this.scheduledAttributes.areTakenIn(namespace);
    try {
      return await this.callStart(start, scheduled);
    } catch (error) {
      if (!scheduled || !this.scheduledAttributes.wereRefused(namespace, error)) throw error;
      return this.callStart(start, false);
    }
  }

  private async callStart(start: WorkflowStart, scheduled: boolean): Promise<{ runId: string }> {
    const request = buildRequest(start, this.settings.identity, scheduled);
    const response = await this.call(
      () => this.connection.workflowService.startWorkflowExecution(request),
      start.lease.left(),
    );
    return { runId: response.runId };
  }

  async describeChain(namespace: string, workflowId: string, runId?: string): Promise<Chain | undefined> {
    try {
      const response = await this.call(() =>
        this.connection.workflowService.describeWorkflowExecution({ namespace, execution: { workflowId, runId } }),
      );
      return chainOf(response, this.settings.stalledAfterMilliseconds);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async failedStep(namespace: string, workflowId: string, runId: string): Promise<FailedStep | undefined> {
    try {
      return failedStepOf(await this.lastEvents({ namespace, execution: { workflowId, runId } }));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** The end of a history, newest event first. */
  private async lastEvents(of: { namespace: string; execution: { workflowId: string; runId: string } }) {
    const { workflowService } = this.connection;
    try {
      const request = { ...of, maximumPageSize: FAILURE_EVENTS };
      const response = await this.call(() => workflowService.getWorkflowExecutionHistoryReverse(request));
      return response.history?.events ?? [];
    } catch (error) {
      if (grpcCodeOf(error) !== grpcStatus.UNIMPLEMENTED) throw error;
    }
    // The time-skipping server reads histories forward only, and gives them whole.
    const response = await this.call(() => workflowService.getWorkflowExecutionHistory(of));
    return (response.history?.events ?? []).reverse();
  }

  async resetPoint(namespace: string, workflowId: string, runId: string): Promise<ResetPoint | undefined> {
    try {
      return await findResetPoint(this.historyBackwards(namespace, { workflowId, runId }));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  private async *historyBackwards(namespace: string, execution: { workflowId: string; runId: string }) {
    let nextPageToken: Uint8Array | undefined;
    do {
      const request = { namespace, execution, maximumPageSize: HISTORY_PAGE, nextPageToken };
      const response = await this.call(() =>
        this.connection.workflowService.getWorkflowExecutionHistoryReverse(request),
      );
      yield* response.history?.events ?? [];
      nextPageToken = response.nextPageToken?.length ? response.nextPageToken : undefined;
    } while (nextPageToken);
  }

  async reset({ namespace, workflowId, runId, eventId, requestId, reason }: RunReset) {
    const request = temporal.api.workflowservice.v1.ResetWorkflowExecutionRequest.fromObject({
      ...{ namespace, requestId, reason, workflowExecution: { workflowId, runId } },
      workflowTaskFinishEventId: eventId,
    });
    try {
      const response = await this.call(() => this.connection.workflowService.resetWorkflowExecution(request));
      return { runId: response.runId };
    } catch (error) {
      if (isMissing(error)) return undefined;
      // The time-skipping server cannot reset, however often it is asked.
      if (grpcCodeOf(error) !== grpcStatus.UNIMPLEMENTED) throw error;
      throw new TemporalCallError('this Temporal server cannot reset a workflow', 'rejected', { cause: error });
    }
  }

  async signal({ namespace, workflowId, runId, name, argument, requestId }: RunSignal): Promise<boolean> {
    const input = { payloads: [defaultPayloadConverter.toPayload(argument)] };
    const { identity } = this.settings;
    try {
      await this.call(() =>
        this.connection.workflowService.signalWorkflowExecution({
          ...{ namespace, workflowExecution: { workflowId, runId }, signalName: name, input, identity, requestId },
        }),
      );
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  async requestCancel(target: ChainTarget, request: { requestId: string; reason: string }): Promise<void> {
    const { namespace, workflowId, firstRunId } = target;
    await this.interrupt(() =>
      this.connection.workflowService.requestCancelWorkflowExecution({
        namespace,
        workflowExecution: { workflowId },
        firstExecutionRunId: firstRunId,
        identity: this.settings.identity,
        ...request,
      }),
    );
  }

  async terminate(target: ChainTarget, { reason }: { reason: string }): Promise<void> {
    const { namespace, workflowId, firstRunId } = target;
    await this.interrupt(() =>
      this.connection.workflowService.terminateWorkflowExecution({
        namespace,
        workflowExecution: { workflowId },
        firstExecutionRunId: firstRunId,
        identity: this.settings.identity,
        reason,
      }),
    );
  }

  /** What has ended cannot be interrupted, and need not be. */
  private async interrupt(rpc: () => Promise<unknown>): Promise<void> {
    try {
      await this.call(rpc);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  async listRuns(namespace: string, since: Date): Promise<ListedRun[] | undefined> {
    const runs: ListedRun[] = [];
    let nextPageToken: Uint8Array | undefined;
    do {
      // Servers allow few lists a second, and refuse the rest of a long one.
      if (nextPageToken) await setTimeout(LIST_PAUSE_MILLISECONDS);
      const request = { namespace, pageSize: 1_000, query: `StartTime >= '${since.toISOString()}'`, nextPageToken };
      const response = await this.list(request);
      if (!response) return undefined;
      for (const info of response.executions) {
        const memo = read<FiringMemo>(info.memo?.fields?.escapement);
        if (memo)
          runs.push({
            ...(info.execution as { workflowId: string; runId: string }),
            memo,
            startedAt: dateOf(info.startTime)!,
            running: info.status === WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING,
          });
      }
      nextPageToken = response.nextPageToken?.length ? response.nextPageToken : undefined;
    } while (nextPageToken);
    return runs;
  }

  private async list(request: temporal.api.workflowservice.v1.IListWorkflowExecutionsRequest) {
    try {
      return await this.call(() => this.connection.workflowService.listWorkflowExecutions(request));
    } catch (error) {
      const code = grpcCodeOf(error);
      // The time-skipping server has no visibility. In a namespace that is not there nothing runs.
      if (code === grpcStatus.UNIMPLEMENTED || code === grpcStatus.NOT_FOUND) return undefined;
      throw error;
    }
  }

  async retention(namespace: string): Promise<number | undefined> {
    const response = await this.call(() => this.connection.workflowService.describeNamespace({ namespace }));
    const seconds = response.config?.workflowExecutionRetentionTtl?.seconds;
    return seconds ? Number(seconds) * 1_000 : undefined;
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  /** @param leaseLeft milliseconds; a call that is sent late, such as after a freeze, is over before it begins */
  private async call<Response>(rpc: () => Promise<Response>, leaseLeft = Number.POSITIVE_INFINITY): Promise<Response> {
    const deadline = Date.now() + Math.min(0, leaseLeft) + this.settings.deadlineMilliseconds;
    try {
      return await this.connection.withDeadline(deadline, rpc);
    } catch (error) {
      throw new TemporalCallError(reasonOf(error), kindOf(error), { cause: error, unsent: isUnsent(error) });
    }
  }
}

/** What cannot even be put into a request will never be started. */
function buildRequest(start: WorkflowStart, identity: string, scheduled: boolean) {
  try {
    return startRequest(start, identity, scheduled);
  } catch (error) {
    throw new TemporalCallError(reasonOf(error), 'rejected', { cause: error });
  }
}
