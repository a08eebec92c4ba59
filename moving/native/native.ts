import type { Client, WorkflowService } from '@temporalio/client';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import { OUR_MEMO_KEY } from '../../core/definition';
import { grpcCodeOf, grpcStatus } from '../../temporal/errors';

/** What the server says of one of its schedules, as it says it. */
export type RawSchedule = temporal.api.workflowservice.v1.IDescribeScheduleResponse;

/** An old scheduler that is behind answers once it has come to what is due, which may take some seconds. */
const DEADLINE_MILLISECONDS = 30_000;
const PAGE_SIZE = 1_000;
const { WorkflowExecutionStatus } = temporal.api.enums.v1;

/** Temporal's own schedules of one namespace, by the server's raw answers: nothing is decoded on the way. */
export class NativeSchedules {
  readonly #service: WorkflowService;

  constructor(
    private readonly client: Client,
    readonly namespace: string,
  ) {
    this.#service = client.connection.workflowService;
  }

  /** IDs of the schedules that a list query matches, page by page. @param query Temporal's own. @default all */
  async *ids(query = ''): AsyncGenerator<string> {
    let nextPageToken: Uint8Array | undefined;
    do {
      const { namespace } = this;
      const request = { namespace, query, maximumPageSize: PAGE_SIZE, nextPageToken };
      const page = await this.#call(() => this.#service.listSchedules(request));
      for (const { scheduleId } of page.schedules) if (scheduleId) yield scheduleId;
      nextPageToken = page.nextPageToken;
    } while (nextPageToken && nextPageToken.length > 0);
  }

  /** @throws an error of gRPC: NOT_FOUND for one that is not there */
  describe(scheduleId: string): Promise<RawSchedule> {
    return this.#call(() => this.#service.describeSchedule({ namespace: this.namespace, scheduleId }));
  }

  /** The instants at which it starts in `(from, to]`, jitter included, 1,000 at most; epoch milliseconds. */
  async startTimes(scheduleId: string, from: number, to: number): Promise<number[]> {
    const request = { namespace: this.namespace, scheduleId, startTime: timestamp(from), endTime: timestamp(to) };
    const { startTime } = await this.#call(() => this.#service.listScheduleMatchingTimes(request));
    return startTime.map((time) => optionalTsToMs(time)!);
  }

  /** Pause it, or unpause it, with a note. Doing it twice is doing it once. */
  async setPaused(scheduleId: string, paused: boolean, note: string): Promise<void> {
    const patch = paused ? { pause: note } : { unpause: note };
    const { namespace } = this;
    const identity = this.client.options.identity;
    await this.#call(() => this.#service.patchSchedule({ namespace, scheduleId, patch, identity }));
  }

  /** Replace a schedule by another, where nobody has changed it since it was described. */
  async update(scheduleId: string, schedule: NonNullable<RawSchedule['schedule']>, token: Uint8Array | undefined) {
    const { namespace } = this;
    const identity = this.client.options.identity;
    const request = { namespace, scheduleId, schedule, conflictToken: token, identity };
    await this.#call(() => this.#service.updateSchedule(request));
  }

  /** The first run of a workflow, and whether it runs; undefined where the server knows none of the ID. */
  async run(workflowId: string): Promise<NativeRun | undefined> {
    const request = { namespace: this.namespace, execution: { workflowId } };
    try {
      const { workflowExecutionInfo } = await this.#call(() => this.#service.describeWorkflowExecution(request));
      const { firstRunId, execution, status, startTime } = workflowExecutionInfo ?? {};
      const isRunning = status === WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING;
      const startedAt = optionalTsToMs(startTime) ?? 0;
      return { workflowId, runId: firstRunId || execution?.runId || '', isRunning, startedAt };
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Runs that a schedule started and that were open at `from` or later, page by page, in no order. */
  async *runs(scheduleId: string, from: number): AsyncGenerator<ListedNative> {
    const by = `TemporalScheduledById = '${scheduleId.replaceAll("'", "''")}'`;
    const query = `${by} AND (ExecutionStatus = 'Running' OR CloseTime >= '${new Date(from).toISOString()}')`;
    let nextPageToken: Uint8Array | undefined;
    do {
      const request = { namespace: this.namespace, query, pageSize: PAGE_SIZE, nextPageToken };
      const page = await this.#call(() => this.#service.listWorkflowExecutions(request));
      for (const run of page.executions) yield* listedOf(run);
      nextPageToken = page.nextPageToken;
    } while (nextPageToken && nextPageToken.length > 0);
  }

  #call<Result>(call: () => Promise<Result>): Promise<Result> {
    return this.client.connection.withDeadline(Date.now() + DEADLINE_MILLISECONDS, call);
  }
}

/** A workflow that Temporal's own schedule has started. */
export interface NativeRun {
  workflowId: string;
  /** First of its chain. */
  runId: string;
  isRunning: boolean;
  /** When its last run started. Epoch milliseconds. */
  startedAt: number;
}

/** A run of a native schedule, as visibility lists it. Epoch milliseconds. */
export interface ListedNative {
  workflowId: string;
  nominal: number;
  startedAt: number;
  /** Infinity while it runs. */
  closedAt: number;
}

/** Whether a call failed because what it names is not there. */
export function isNotFound(error: unknown): boolean {
  return grpcCodeOf(error) === grpcStatus.NOT_FOUND;
}

/** Whether the server did not answer in time; it may have done all the same what it was asked for. */
export function isDeadlineExceeded(error: unknown): boolean {
  return grpcCodeOf(error) === grpcStatus.DEADLINE_EXCEEDED;
}

function timestamp(milliseconds: number) {
  const seconds = Math.floor(milliseconds / 1_000);
  return { seconds: seconds as never, nanos: (milliseconds - seconds * 1_000) * 1_000_000 };
}

function* listedOf({
  execution,
  startTime,
  closeTime,
  searchAttributes,
  memo,
}: temporal.api.workflow.v1.IWorkflowExecutionInfo): Generator<ListedNative> {
  const time = searchAttributes?.indexedFields?.TemporalScheduledStartTime?.data;
  // What this ledger starts has the attribute too.
  if (!time || memo?.fields?.[OUR_MEMO_KEY]) return;
  yield {
    workflowId: execution?.workflowId ?? '',
    nominal: Date.parse(JSON.parse(Buffer.from(time).toString())),
    startedAt: optionalTsToMs(startTime) ?? 0,
    closedAt: optionalTsToMs(closeTime) ?? Number.POSITIVE_INFINITY,
  };
}
