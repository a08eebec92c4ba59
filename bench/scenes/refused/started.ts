import type { Connection } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time';
import { listRuns } from '../../lib/measure/list-runs';
import { seconds } from '../../lib/wait';

/** A workflow that was started, and when: milliseconds since 1970, by the server's clock. */
export interface Started {
  workflowId: string;
  at: number;
}

const LOOK_EVERY_SECONDS = 5;
const QUIET_SECONDS = 120;

/**
 * Waits until every namespace has this many workflows with the ID prefix, or until no further one was started for two
 * minutes.
 */
export async function untilQuiet<Namespace extends string>(
  connection: Connection,
  namespaces: readonly Namespace[],
  prefix: string,
  expected: number,
): Promise<Map<Namespace, Started[]>> {
  let [last, quiet] = [-1, 0];
  for (;;) {
    const started = new Map<Namespace, Started[]>();
    for (const namespace of namespaces) started.set(namespace, await list(connection, namespace, prefix));
    const all = [...started.values()];
    const count = all.reduce((sum, { length }) => sum + length, 0);
    quiet = count === last ? quiet + LOOK_EVERY_SECONDS : 0;
    last = count;
    if (all.every(({ length }) => length >= expected) || quiet >= QUIET_SECONDS) return started;
    await seconds(LOOK_EVERY_SECONDS);
  }
}

async function list(connection: Connection, namespace: string, prefix: string): Promise<Started[]> {
  const runs = await listRuns(connection, namespace, `WorkflowId STARTS_WITH '${prefix}'`);
  return runs.map(({ execution, startTime }) => ({ workflowId: execution!.workflowId!, at: tsToMs(startTime) }));
}
