import type { Client, WorkflowService } from '@temporalio/client';
import { optionalTsToDate, optionalTsToMs } from '@temporalio/common/lib/time';
import type { temporal } from '@temporalio/proto';
import type { StartedTime } from './classes';

/** What the server says of one of its schedules. */
export type RawSchedule = temporal.api.workflowservice.v1.IDescribeScheduleResponse;

const DEADLINE_MILLISECONDS = 10_000;
const PAGE_SIZE = 1_000;
/** Longer ones of visibility's are read for their payload of this attribute alone. */
const STARTED_FOR = 'TemporalScheduledStartTime';

/** What an audit reads of Temporal: it writes nothing, and decodes no user's payload. */
export class AuditReads {
  readonly #service: WorkflowService;

  constructor(
    private readonly client: Client,
    readonly namespace: string,
  ) {
    this.#service = client.connection.workflowService;
  }

  /** IDs of the schedules that a list query of Temporal's matches, page by page. */
  async *ids(query = ''): AsyncGenerator<string> {
    let nextPageToken: Uint8Array | undefined;
    do {
      const request = { namespace: this.namespace, query, maximumPageSize: PAGE_SIZE, nextPageToken };
      const page = await this.#call(() => this.#service.listSchedules(request));
      for (const { scheduleId } of page.schedules) if (scheduleId) yield scheduleId;
      nextPageToken = page.nextPageToken;
    } while (nextPageToken?.length);
  }

  describe(scheduleId: string): Promise<RawSchedule> {
    return this.#call(() => this.#service.describeSchedule({ namespace: this.namespace, scheduleId }));
  }

  /** The instants at which it starts in `(from, to]`, jitter included, 1,000 at most. Epoch milliseconds. */
  async startTimes(scheduleId: string, from: number, to: number): Promise<number[]> {
    const { namespace } = this;
    const request = { namespace, scheduleId, startTime: timestamp(from), endTime: timestamp(to) };
    const { startTime } = await this.#call(() => this.#service.listScheduleMatchingTimes(request));
    return startTime.map((time) => optionalTsToMs(time)!);
  }

  /** How long the namespace keeps what has closed, in milliseconds. */
  async retention(): Promise<number> {
    const { config } = await this.#call(() => this.#service.describeNamespace({ namespace: this.namespace }));
    return optionalTsToMs(config?.workflowExecutionRetentionTtl) ?? Number.POSITIVE_INFINITY;
  }

  /** What a schedule started for the nominal times in `[from, to]`: the runs of one time as one. */
  startedFor(scheduleId: string, from: number, to: number): Promise<StartedTime[]> {
    return this.#started(`${by(scheduleId)} AND ${STARTED_FOR} BETWEEN '${iso(from)}' AND '${iso(to)}'`);
  }

  /** What a schedule started for earlier nominal times, and had not ended by this one. */
  heldAt(scheduleId: string, time: number): Promise<StartedTime[]> {
    const open = `(CloseTime >= '${iso(time)}' OR ExecutionStatus = 'Running')`;
    return this.#started(`${by(scheduleId)} AND ${STARTED_FOR} < '${iso(time)}' AND ${open}`);
  }

  async #started(query: string): Promise<StartedTime[]> {
    const found = new Map<number, StartedTime>();
    const { namespace } = this;
    let nextPageToken: Uint8Array | undefined;
    do {
      const request = { namespace, query, pageSize: PAGE_SIZE, nextPageToken };
      const page = await this.#call(() => this.#service.listWorkflowExecutions(request));
      for (const info of page.executions) {
        const run = runOf(info);
        if (run) found.set(run.nominal, together(found.get(run.nominal), run));
      }
      nextPageToken = page.nextPageToken;
    } while (nextPageToken?.length);
    return [...found.values()];
  }

  #call<Result>(call: () => Promise<Result>): Promise<Result> {
    return this.client.connection.withDeadline(Date.now() + DEADLINE_MILLISECONDS, call);
  }
}

function runOf(info: temporal.api.workflow.v1.IWorkflowExecutionInfo): StartedTime | undefined {
  const data = info.searchAttributes?.indexedFields?.[STARTED_FOR]?.data;
  const nominal = data ? Date.parse(JSON.parse(Buffer.from(data).toString())) : Number.NaN;
  if (Number.isNaN(nominal)) return undefined;
  return {
    nominal,
    workflowId: info.execution?.workflowId ?? '',
    start: optionalTsToDate(info.startTime)?.getTime() ?? nominal,
    end: optionalTsToDate(info.closeTime)?.getTime() ?? Number.POSITIVE_INFINITY,
  };
}

/** Retries and continue-as-new go on with the attributes of the first run. */
function together(one: StartedTime | undefined, other: StartedTime): StartedTime {
  if (!one) return other;
  const first = one.start <= other.start ? one : other;
  return { ...first, end: Math.max(one.end, other.end) };
}

function by(scheduleId: string): string {
  return `TemporalScheduledById = '${scheduleId.replaceAll("'", "''")}'`;
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function timestamp(milliseconds: number) {
  const seconds = Math.floor(milliseconds / 1_000);
  return { seconds: seconds as never, nanos: (milliseconds - seconds * 1_000) * 1_000_000 };
}
