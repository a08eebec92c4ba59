import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import type { TemporalPort } from '../../temporal/port';
import type { PlayedChain } from './temporal';
import { begin, type Order, ready, tell } from './workflows';

/** A real server, and a worker on it. */
export interface RealTemporal {
  /** As a trigger reaches it. */
  port: TemporalPort;
  /** As a person does. */
  client: Client;
  taskQueue: string;
}

/**
 * Let a chain that was handed over ahead begin. A run after a reset keeps what came before the first task, such as a
 * signal to end.
 */
export async function letBegin({ client }: RealTemporal, chain: PlayedChain): Promise<void> {
  if (chain.beginsAt === chain.startedAt) return;
  const handle = client.workflow.getHandle(chain.workflowId);
  await handle.signal(begin);
  await handle.query(ready);
}

/** End the current run. The server decides whether there is another run. */
export async function tellRun(
  { port, client }: RealTemporal,
  { namespace, workflowId }: PlayedChain,
  order: Order,
): Promise<void> {
  const { runId } = (await port.describeChain(namespace, workflowId))!;
  const handle = client.workflow.getHandle(workflowId, runId, { followRuns: false });
  // Else the order could come before the first task, and a run after a reset would keep it.
  await handle.query(ready);
  await handle.signal(tell, order);
  await ended(handle.result());
}

/** Reset a chain to its beginning. */
export async function resetReal({ client, port }: RealTemporal, { namespace, workflowId }: PlayedChain): Promise<void> {
  const { runId } = (await port.describeChain(namespace, workflowId))!;
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  const firstTask = events!.find((event) => event.workflowTaskCompletedEventAttributes)!;
  // Of an object: the type of the request wants a Long.
  const request = temporal.api.workflowservice.v1.ResetWorkflowExecutionRequest.fromObject({
    namespace,
    workflowExecution: { workflowId, runId },
    reason: 'trace',
    requestId: randomUUID(),
    workflowTaskFinishEventId: firstTask.eventId,
    resetReapplyType: temporal.api.enums.v1.ResetReapplyType.RESET_REAPPLY_TYPE_NONE,
  });
  await client.workflowService.resetWorkflowExecution(request);
  await client.workflow.getHandle(workflowId).query(ready);
}

/** However it ended. */
export async function ended(result: Promise<unknown>): Promise<void> {
  await result.catch(() => {});
}
