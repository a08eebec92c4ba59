import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import type { TemporalPort } from '../../temporal/port';
import type { PlayedChain } from './temporal';
import { begin, type Order, ready, tell, told } from './workflows';

/** A real server, and a worker on it. */
export interface RealTemporal {
  /** As a trigger reaches it. */
  port: TemporalPort;
  /** As a person does. */
  client: Client;
  taskQueue: string;
}

/**
 * Wait for the first task of a chain's current run, and let one that was handed over ahead begin. A run after a reset
 * keeps what came before the first task, such as a signal to end.
 */
export async function letBegin({ client, taskQueue }: RealTemporal, chain: PlayedChain): Promise<void> {
  const { workflowId } = chain;
  // A plain signal does not end a start delay.
  if (chain.beginsAt !== chain.startedAt) {
    const options = { workflowId, taskQueue, workflowIdReusePolicy: 'REJECT_DUPLICATE' } as const;
    await client.workflow.signalWithStart(told, { ...options, signal: begin });
  }
  await client.workflow.getHandle(workflowId).query(ready);
}

/** End the current run. The server decides whether there is another run. */
export async function tellRun(real: RealTemporal, chain: PlayedChain, order: Order): Promise<void> {
  await letBegin(real, chain);
  const { port, client } = real;
  const { namespace, workflowId } = chain;
  const { runId } = (await port.describeChain(namespace, workflowId))!;
  const handle = client.workflow.getHandle(workflowId, runId, { followRuns: false });
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
