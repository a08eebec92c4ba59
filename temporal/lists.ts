import { temporal } from '@temporalio/proto';
import type { TemporalCaller } from './caller';
import { dateOf, listedStateOf, read } from './described-chain';
import { grpcCodeOf, grpcStatus } from './errors';
import type { FiringMemo, ListedRuns, ListedState, RunsPage } from './port';

const { WorkflowExecutionStatus } = temporal.api.enums.v1;

/** A page of the runs that started at `since` or later, of which those are told that carry the memo of a firing. */
export async function listRuns(
  caller: TemporalCaller,
  namespace: string,
  { since, size, token }: RunsPage,
): Promise<ListedRuns | undefined> {
  const query = `StartTime >= '${since.toISOString()}'`;
  const nextPageToken = token === undefined ? undefined : Buffer.from(token, 'base64');
  const response = await listPage(caller, { namespace, pageSize: size, query, nextPageToken });
  const runs = response?.executions.flatMap((info) => {
    const memo = read<FiringMemo>(info.memo?.fields?.escapement);
    if (!memo) return [];
    const running = info.status === WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING;
    const { workflowId, runId } = info.execution as { workflowId: string; runId: string };
    return { workflowId, runId, memo, startedAt: dateOf(info.startTime)!, running };
  });
  const next = response?.nextPageToken?.length ? Buffer.from(response.nextPageToken).toString('base64') : undefined;
  return runs && { runs, next };
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
