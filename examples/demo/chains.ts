import type { Client } from '@temporalio/client';
import { waitFor } from './wait';

/** First run IDs of the chains, by workflow ID. */
export type Chains = Map<string, Set<string>>;

const LISTED_WITHIN_MILLISECONDS = 10_000;

/**
 * Ask Temporal for every chain whose workflow ID begins with the prefix. Temporal's list lags a little behind. So it is
 * asked again until it contains all started workflows, for ten seconds at most.
 */
export async function chainsOf(temporal: Client, workflowIdPrefix: string, started: string[]): Promise<Chains> {
  let runs = new Map<string, string[]>();
  await waitFor(
    async () => {
      runs = await listRuns(temporal, workflowIdPrefix);
      return started.every((workflowId) => runs.has(workflowId)) || undefined;
    },
    { milliseconds: LISTED_WITHIN_MILLISECONDS, everyMilliseconds: 300 },
  );
  const chains: Chains = new Map();
  for (const [workflowId, runIds] of runs) {
    // If a workflow ID has one run, that run is the first of its chain. For several runs, only `describe` shows which
    // chain they belong to.
    const firstRuns =
      runIds.length === 1 ? runIds : await Promise.all(runIds.map((run) => firstRun(temporal, workflowId, run)));
    chains.set(workflowId, new Set(firstRuns));
  }
  return chains;
}

async function listRuns(temporal: Client, workflowIdPrefix: string): Promise<Map<string, string[]>> {
  const runs = new Map<string, string[]>();
  for await (const { workflowId, runId } of temporal.workflow.list({
    query: `WorkflowId STARTS_WITH "${workflowIdPrefix}"`,
  })) {
    runs.set(workflowId, [...(runs.get(workflowId) ?? []), runId]);
  }
  return runs;
}

async function firstRun(temporal: Client, workflowId: string, runId: string): Promise<string> {
  const { raw } = await temporal.workflow.getHandle(workflowId, runId).describe();
  return raw.workflowExecutionInfo?.firstRunId || runId;
}
