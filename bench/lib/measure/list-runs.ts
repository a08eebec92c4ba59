import type { Connection } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';

/** Every run of a namespace that matches a query, as Temporal lists it. */
export async function listRuns(
  { workflowService }: Connection,
  namespace: string,
  query: string,
): Promise<temporal.api.workflow.v1.IWorkflowExecutionInfo[]> {
  const infos: temporal.api.workflow.v1.IWorkflowExecutionInfo[] = [];
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await workflowService.listWorkflowExecutions({
      ...{ namespace, query, pageSize: 1_000, ...(nextPageToken && { nextPageToken }) },
    });
    infos.push(...(page.executions ?? []));
    nextPageToken = page.nextPageToken ?? undefined;
  } while (nextPageToken && nextPageToken.length > 0);
  return infos;
}
