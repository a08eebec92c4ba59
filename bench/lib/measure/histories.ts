import type { Connection } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import { grpcCodeOf, grpcStatus } from '../../../temporal/errors';
import { inParallel, untilCount } from '../wait';

const { EVENT_TYPE_WORKFLOW_TASK_SCHEDULED } = temporal.api.enums.v1.EventType;
const READS_IN_FLIGHT = 16;

/**
 * When the first workflow task of a workflow was scheduled; undefined if there is no such workflow. See
 * {@link firstTaskTimes}.
 */
export async function firstTaskTime(
  connection: Connection,
  namespace: string,
  workflowId: string,
): Promise<number | undefined> {
  const { history } = await connection.workflowService
    .getWorkflowExecutionHistory({ namespace, execution: { workflowId }, maximumPageSize: 5 })
    .catch((error) => {
      if (grpcCodeOf(error) === grpcStatus.NOT_FOUND) return { history: undefined };
      throw error;
    });
  if (!history) return undefined;
  const task = history.events?.find((event) => event.eventType === EVENT_TYPE_WORKFLOW_TASK_SCHEDULED);
  if (!task) throw new Error(`workflow ${workflowId} has no workflow task`);
  return tsToMs(task.eventTime);
}

/**
 * When the first workflow task of each workflow was scheduled, from the workflow's history: milliseconds since 1970, by
 * the server's clock. From that time on a worker can run the task.
 */
export async function firstTaskTimes(
  connection: Connection,
  namespace: string,
  workflowIds: readonly string[],
): Promise<number[]> {
  const times = new Array<number>(workflowIds.length);
  await inParallel(workflowIds.length, READS_IN_FLIGHT, async (index) => {
    const time = await firstTaskTime(connection, namespace, workflowIds[index]!);
    if (time === undefined) throw new Error(`there is no workflow ${workflowIds[index]}`);
    times[index] = time;
  });
  return times;
}

/** Number of events in a workflow's history. */
export async function historyLength(connection: Connection, namespace: string, workflowId: string): Promise<number> {
  const { workflowExecutionInfo } = await connection.workflowService.describeWorkflowExecution({
    ...{ namespace, execution: { workflowId } },
  });
  return Number(workflowExecutionInfo?.historyLength ?? 0);
}

/** Number of workflows that match the visibility query. */
export async function countWorkflows(connection: Connection, namespace: string, query: string): Promise<number> {
  const { count } = await connection.workflowService.countWorkflowExecutions({ namespace, query });
  return Number(count);
}

/** Resolves when this many workflows with the ID prefix have completed. */
export async function allCompleted(
  connection: Connection,
  { namespace, prefix, count }: { namespace: string; prefix: string; count: number },
): Promise<void> {
  const query = `WorkflowId STARTS_WITH '${prefix}' AND ExecutionStatus = 'Completed'`;
  await untilCount(`completed workflows ${prefix}*`, count, () => countWorkflows(connection, namespace, query), {
    everyMilliseconds: 250,
  });
}

/** When the last workflow with the ID prefix closed: milliseconds since 1970, by the server's clock. */
export async function lastCloseTime(connection: Connection, namespace: string, prefix: string): Promise<number> {
  const query = `WorkflowId STARTS_WITH '${prefix}' AND ExecutionStatus = 'Completed'`;
  // Visibility lists the last closed workflow first.
  const { executions } = await connection.workflowService.listWorkflowExecutions({ namespace, query, pageSize: 1 });
  return tsToMs(executions[0]?.closeTime);
}
