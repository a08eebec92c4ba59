import type { temporal } from '@temporalio/proto';
import { PARK_PATCH } from '../core/letters/park-patch';
import type { TemporalCaller } from './caller';
import { dateOf, endedRunOf, isOpen } from './described-chain';
import { grpcCodeOf, grpcStatus } from './errors';
import { firingMemoOf } from './firing-memo';
import type { EndedRuns, EndedRunsPage, ListedRuns, RunsPage } from './port';

/**
 * Finds open runs that may have parked a step: a run gets this search attribute before it parks, and keeps it. A run
 * that somebody has paused in Temporal is open too, but does not have the status `Running`.
 */
const PARKING = `TemporalChangeVersion = '${PARK_PATCH}' AND CloseTime IS NULL`;

export async function listRuns(
  caller: TemporalCaller,
  namespace: string,
  { since, onlyParking, size, token }: RunsPage,
): Promise<ListedRuns | undefined> {
  const started = `StartTime >= '${since.toISOString()}'`;
  const query = onlyParking ? `${started} AND ${PARKING}` : started;
  const response = await listPage(caller, { namespace, pageSize: size, query, nextPageToken: tokenOf(token) });
  const runs = response?.executions.flatMap((info) => {
    const memo = firingMemoOf(info.memo);
    // A workflow may hand its memo on to its children. No trigger has started those.
    if (!memo || info.parentExecution?.workflowId) return [];
    const { workflowId, runId } = info.execution as { workflowId: string; runId: string };
    return { workflowId, runId, memo, startedAt: dateOf(info.startTime)!, running: isOpen(info) };
  });
  return runs && { runs, next: nextOf(response) };
}

/** How far ahead a range of close times ends. A range without an end may make the server read running workflows too. */
const FAR_AHEAD_MILLISECONDS = 24 * 60 * 60 * 1_000;

export async function listEnds(
  caller: TemporalCaller,
  namespace: string,
  { since, size, token, onlyScheduled }: EndedRunsPage & { onlyScheduled: boolean },
): Promise<EndedRuns | undefined> {
  const until = new Date(Math.max(Date.now(), since.getTime()) + FAR_AHEAD_MILLISECONDS);
  const closed = `CloseTime BETWEEN '${since.toISOString()}' AND '${until.toISOString()}'`;
  const query = onlyScheduled ? `${closed} AND TemporalScheduledById IS NOT NULL` : closed;
  const response = await listPage(caller, { namespace, pageSize: size, query, nextPageToken: tokenOf(token) });
  return response && { runs: response.executions.flatMap((info) => endedRunOf(info) ?? []), next: nextOf(response) };
}

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
    // A namespace that does not exist has no runs. UNIMPLEMENTED does not mean that a namespace has no runs: a proxy
    // without a route gives the same answer.
    if (grpcCodeOf(error) === grpcStatus.NOT_FOUND) return undefined;
    throw error;
  }
}

function tokenOf(token: string | undefined): Buffer | undefined {
  return token === undefined ? undefined : Buffer.from(token, 'base64');
}

function nextOf(page: { nextPageToken: Uint8Array } | undefined): string | undefined {
  return page?.nextPageToken?.length ? Buffer.from(page.nextPageToken).toString('base64') : undefined;
}
