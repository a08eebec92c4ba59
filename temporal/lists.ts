import { setTimeout } from 'node:timers/promises';
import { temporal } from '@temporalio/proto';
import type { TemporalCaller } from './caller';
import { dateOf, listedStateOf, read } from './described-chain';
import { grpcCodeOf, grpcStatus } from './errors';
import type { FiringMemo, ListedRun, ListedState } from './port';

const { WorkflowExecutionStatus } = temporal.api.enums.v1;

/** Between two pages of a list. */
const LIST_PAUSE_MILLISECONDS = 250;

/** Runs that carry the memo of a firing and started at `since` or later. Once `stop` is aborted, those of the pages so far. */
export async function listRuns(
  caller: TemporalCaller,
  namespace: string,
  since: Date,
  stop: AbortSignal,
): Promise<ListedRun[] | undefined> {
  const runs: ListedRun[] = [];
  let nextPageToken: Uint8Array | undefined;
  do {
    // Servers allow few lists a second, and refuse the rest of a long one.
    if (nextPageToken) await setTimeout(LIST_PAUSE_MILLISECONDS);
    const request = { namespace, pageSize: 1_000, query: `StartTime >= '${since.toISOString()}'`, nextPageToken };
    const response = await listPage(caller, request);
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
  } while (nextPageToken && !stop.aborted);
  return runs;
}

/** The runs of these workflow IDs that carry the memo of a firing. */
export async function listStates(
  caller: TemporalCaller,
  namespace: string,
  workflowIds: string[],
): Promise<ListedState[] | undefined> {
  const query = `WorkflowId IN (${workflowIds.map((workflowId) => `'${workflowId}'`).join(', ')})`;
  // More than a run each is for chains of several runs: what is cut off is looked up, by turns at the latest.
  const response = await listPage(caller, { namespace, pageSize: workflowIds.length * 2, query });
  return response?.executions.flatMap((info) => listedStateOf(info) ?? []);
}

/** How long the namespace keeps closed workflows, in milliseconds. */
export async function retention(caller: TemporalCaller, namespace: string): Promise<number | undefined> {
  const response = await caller.call(() => caller.service.describeNamespace({ namespace }));
  const seconds = response.config?.workflowExecutionRetentionTtl?.seconds;
  return seconds ? Number(seconds) * 1_000 : undefined;
}

async function listPage(
  caller: TemporalCaller,
  request: temporal.api.workflowservice.v1.IListWorkflowExecutionsRequest,
) {
  try {
    return await caller.call(() => caller.service.listWorkflowExecutions(request));
  } catch (error) {
    const code = grpcCodeOf(error);
    // The time-skipping server has no visibility. In a namespace that is not there nothing runs.
    if (code === grpcStatus.UNIMPLEMENTED || code === grpcStatus.NOT_FOUND) return undefined;
    throw error;
  }
}
