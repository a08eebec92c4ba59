import type { Connection } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time';
import { listRuns } from '../measure/list-runs';
import { seconds } from '../wait';
import { NAMESPACES, type Scheduler } from './schedulers';

/** One run of a workflow, as Temporal lists it. Times are milliseconds since 1970, by the server's clock. */
export interface Run {
  workflowId: string;
  startedAt: number;
  /** Undefined while the run is open. */
  closedAt: number | undefined;
}

const LOOK_EVERY_SECONDS = 5;
const QUIET_SECONDS = 120;

/**
 * Waits until this many workflows with the ID prefix have ended in every namespace, or until no further one has ended
 * for two minutes.
 */
export async function runsWhenQuiet(
  connection: Connection,
  prefix: string,
  expected: number,
): Promise<Map<Scheduler, Run[]>> {
  let [last, quiet] = [-1, 0];
  for (;;) {
    const runs = new Map<Scheduler, Run[]>();
    for (const namespace of NAMESPACES) runs.set(namespace, await list(connection, namespace, prefix));
    const counts = [...runs.values()].map(endedWorkflows);
    const count = counts.reduce((sum, one) => sum + one, 0);
    quiet = count === last ? quiet + LOOK_EVERY_SECONDS : 0;
    last = count;
    if (counts.every((one) => one >= expected) || quiet >= QUIET_SECONDS) return runs;
    await seconds(LOOK_EVERY_SECONDS);
  }
}

async function list(connection: Connection, namespace: string, prefix: string): Promise<Run[]> {
  const runs = await listRuns(connection, namespace, `WorkflowId STARTS_WITH '${prefix}'`);
  return runs.map(({ execution, startTime, closeTime }) => ({
    workflowId: execution!.workflowId!,
    startedAt: tsToMs(startTime),
    closedAt: closeTime ? tsToMs(closeTime) : undefined,
  }));
}

/** The number of workflows that have ended, each counted once. */
function endedWorkflows(runs: Run[]): number {
  return new Set(runs.flatMap(({ workflowId, closedAt }) => (closedAt === undefined ? [] : [workflowId]))).size;
}
