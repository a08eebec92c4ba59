import { randomUUID } from 'node:crypto';
import type { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import type { temporal } from '@temporalio/proto';
import { TASK_QUEUE, WORKFLOW_TYPE } from '../names';
import { inParallel } from '../wait';

export interface Starts {
  namespace: string;
  /** The prefix of the workflow IDs, which continue with a dash and a number. */
  prefix: string;
  count: number;
  inFlight: number;
  /** Start the workflows with a delay until this instant, in milliseconds since 1970. */
  delayUntil?: number;
  /** Additional fields of each request. @default none */
  fieldsOf?: (index: number) => StartRequest;
}

type StartRequest = temporal.api.workflowservice.v1.IStartWorkflowExecutionRequest;

/**
 * The plain loop with which scenes compare: start calls on one connection, a fixed number in parallel, with no client
 * around the request. The function returns when the last call has been answered.
 */
export async function startAll(connection: Connection, starts: Starts): Promise<{ perSecond: number }> {
  const begun = performance.now();
  await inParallel(starts.count, starts.inFlight, (index) => {
    const { delayUntil } = starts;
    const delay = delayUntil === undefined ? 0 : Math.max(0, delayUntil - Date.now());
    return connection.workflowService.startWorkflowExecution({
      namespace: starts.namespace,
      workflowId: `${starts.prefix}-${index}`,
      workflowType: { name: WORKFLOW_TYPE },
      taskQueue: { name: TASK_QUEUE },
      requestId: randomUUID(),
      identity: 'bench',
      ...(delay > 0 && { workflowStartDelay: msToTs(delay) }),
      ...starts.fieldsOf?.(index),
    });
  });
  return { perSecond: (starts.count / (performance.now() - begun)) * 1_000 };
}

/** The workflow IDs that {@link startAll} starts. */
export function startedIds({ prefix, count }: Pick<Starts, 'prefix' | 'count'>): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}
