import type { Client, WorkflowService } from '@temporalio/client';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import type { temporal } from '@temporalio/proto';
import { OUR_MEMO_KEY } from '../../core/definition/definition';
import { InvalidOptionError } from '../../core/errors';
import { EMPTY_FILTER } from '../../core/option-fields';
import { isOpen } from '../../temporal/described-chain';
import { grpcCodeOf, grpcStatus } from '../../temporal/errors';

export type RawSchedule = temporal.api.workflowservice.v1.IDescribeScheduleResponse;

/** An old scheduler with a backlog answers only after it has handled due times, which may take some seconds. */
const DEADLINE_MILLISECONDS = 30_000;
/** The largest difference between two clocks that is assumed. */
export const CLOCKS_APART_MILLISECONDS = 60_000;
const PAGE_SIZE = 1_000;

export class NativeReads {
  protected readonly service: WorkflowService;

  constructor(
    protected readonly client: Client,
    readonly namespace: string,
  ) {
    this.service = client.connection.workflowService;
  }

  /**
   * @param query a list query in Temporal's own grammar; all schedules if it is left out
   * @throws {InvalidOptionError} if the query is empty
   */
  async *ids(query?: string): AsyncGenerator<string> {
    refuseEmpty(query);
    let nextPageToken: Uint8Array | undefined;
    do {
      const { namespace } = this;
      const request = { namespace, query: query ?? '', maximumPageSize: PAGE_SIZE, nextPageToken };
      const page = await this.call(() => this.service.listSchedules(request));
      for (const { scheduleId } of page.schedules) if (scheduleId) yield scheduleId;
      nextPageToken = page.nextPageToken;
    } while (nextPageToken?.length);
  }

  /** @throws the gRPC error; NOT_FOUND for a schedule that does not exist */
  describe(scheduleId: string): Promise<RawSchedule> {
    return this.call(() => this.service.describeSchedule({ namespace: this.namespace, scheduleId }));
  }

  /**
   * The instants at which a schedule starts in `(from, to]`, including jitter; at most 1,000. The instants are in epoch
   * milliseconds.
   */
  async startTimes(scheduleId: string, from: number, to: number): Promise<number[]> {
    const request = { namespace: this.namespace, scheduleId, startTime: timestamp(from), endTime: timestamp(to) };
    const { startTime } = await this.call(() => this.service.listScheduleMatchingTimes(request));
    return startTime.map((time) => optionalTsToMs(time)!);
  }

  /** The first run of a workflow, and whether the workflow is running; undefined if the server does not know the ID. */
  async run(workflowId: string): Promise<NativeRun | undefined> {
    const request = { namespace: this.namespace, execution: { workflowId } };
    try {
      const { workflowExecutionInfo } = await this.call(() => this.service.describeWorkflowExecution(request));
      const { firstRunId, execution, startTime, type } = workflowExecutionInfo ?? {};
      const isRunning = isOpen(workflowExecutionInfo ?? {});
      const startedAt = optionalTsToMs(startTime) ?? 0;
      const runId = firstRunId || execution?.runId || '';
      return { workflowId, runId, workflowType: type?.name ?? '', isRunning, startedAt };
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Runs that a schedule started and that were open at `from` or later, page by page, unordered. */
  async *runs(scheduleId: string, from: number): AsyncGenerator<ListedNative> {
    const by = startedBy(scheduleId);
    const query = `${by} AND (CloseTime IS NULL OR CloseTime >= '${new Date(from).toISOString()}')`;
    for await (const run of this.executions(query)) yield* listedOf(run);
  }

  async *executions(query: string): AsyncGenerator<temporal.api.workflow.v1.IWorkflowExecutionInfo> {
    let nextPageToken: Uint8Array | undefined;
    do {
      const request = { namespace: this.namespace, query, pageSize: PAGE_SIZE, nextPageToken };
      const page = await this.call(() => this.service.listWorkflowExecutions(request));
      yield* page.executions;
      nextPageToken = page.nextPageToken;
    } while (nextPageToken?.length);
  }

  /** Retention of closed workflows in the namespace, in milliseconds. */
  async retention(): Promise<number> {
    const { config } = await this.call(() => this.service.describeNamespace({ namespace: this.namespace }));
    return optionalTsToMs(config?.workflowExecutionRetentionTtl) ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Of a nominal time before this instant, the server may have forgotten the workflow. Epoch milliseconds; undefined if
   * the namespace could not be described. A role that moves schedules may lack the right to describe their namespace,
   * and a move that failed now would leave the schedule on neither side.
   */
  async knownFrom(): Promise<number | undefined> {
    const retention = await this.retention().catch(() => undefined);
    // The retention begins when a workflow closes, so not before its nominal time.
    return retention === undefined ? undefined : Date.now() - retention + CLOCKS_APART_MILLISECONDS;
  }

  protected call<Result>(call: () => Promise<Result>): Promise<Result> {
    return this.client.connection.withDeadline(Date.now() + DEADLINE_MILLISECONDS, call);
  }
}

/** @throws {InvalidOptionError} for a query that is empty, and not left out */
export function refuseEmpty(query: string | undefined): void {
  if (query?.trim() === '') throw new InvalidOptionError('query', EMPTY_FILTER);
}

export function startedBy(scheduleId: string): string {
  return `TemporalScheduledById = '${scheduleId.replaceAll("'", "''")}'`;
}

export interface NativeRun {
  workflowId: string;
  /** The first run of the workflow's chain. */
  runId: string;
  workflowType: string;
  isRunning: boolean;
  /** When the last run of the workflow started, in epoch milliseconds. */
  startedAt: number;
}

/** A run of a Temporal schedule, from visibility. Its instants are epoch milliseconds. */
export interface ListedNative {
  workflowId: string;
  nominal: number;
  startedAt: number;
  /** When the run closed; infinity while it is running. */
  closedAt: number;
}

export function isNotFound(error: unknown): boolean {
  return grpcCodeOf(error) === grpcStatus.NOT_FOUND;
}

/** The server may have carried the request out anyway. */
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
  // Workflows that this ledger has started have the attribute too.
  if (!time || memo?.fields?.[OUR_MEMO_KEY]) return;
  yield {
    workflowId: execution?.workflowId ?? '',
    nominal: Date.parse(JSON.parse(Buffer.from(time).toString())),
    startedAt: optionalTsToMs(startTime) ?? 0,
    closedAt: optionalTsToMs(closeTime) ?? Number.POSITIVE_INFINITY,
  };
}
