import type { Connection } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import { listRuns } from '../../bench/lib/measure/list-runs';
import { inParallel } from '../../bench/lib/wait';
import type { ChainFact } from './facts';

const { EVENT_TYPE_WORKFLOW_TASK_SCHEDULED } = temporal.api.enums.v1.EventType;
const STATUS = temporal.api.enums.v1.WorkflowExecutionStatus;
const READS_IN_FLIGHT = 8;
const NOT_FOUND = 5;

/** A run, from its own history and from Temporal's list. */
interface Run extends ChainFact {
  runId: string;
}

/** A run that a row of the ledger names. */
export interface KnownRun {
  workflowId: string;
  runId: string;
}

/**
 * Reads each chain that triggers have started in Temporal and that Temporal lists, from the histories of its runs. A list
 * may lag behind, so the known runs are read even if it lacks them. What the list and the ledger both lack is not found,
 * so the list must be complete by then.
 */
export async function readChains(
  connection: Connection,
  namespace: string,
  known: readonly KnownRun[],
): Promise<ChainFact[]> {
  const listed = await listRuns(connection, namespace, '');
  const ids = new Set(listed.map(({ execution }) => execution!.runId));
  const unlisted: Info[] = [];
  for (const { workflowId, runId } of known) {
    if (ids.has(runId)) continue;
    // The chain may have a later run, which the list may lack too.
    for (const execution of [{ workflowId, runId }, { workflowId }]) {
      const info = await describe(connection, namespace, execution);
      if (!info || ids.has(info.execution!.runId)) continue;
      ids.add(info.execution!.runId);
      unlisted.push(info);
    }
  }
  const runs: Run[] = [];
  const found = [...listed, ...unlisted];
  await inParallel(found.length, READS_IN_FLIGHT, async (index) => {
    const run = await readRun(connection, namespace, found[index]!);
    if (run) runs.push({ ...run, isListedAsEnded: run.isListedAsEnded && index < listed.length });
  });
  return chainsOf(runs);
}

type Info = temporal.api.workflow.v1.IWorkflowExecutionInfo;

async function describe(
  { workflowService }: Connection,
  namespace: string,
  execution: temporal.api.common.v1.IWorkflowExecution,
): Promise<Info | undefined> {
  try {
    return (await workflowService.describeWorkflowExecution({ namespace, execution })).workflowExecutionInfo!;
  } catch (error) {
    if ((error as { code?: number }).code === NOT_FOUND) return undefined;
    throw error;
  }
}

/** Reads a run; returns undefined for a run that no firing started. */
async function readRun(connection: Connection, namespace: string, listed: Info): Promise<Run | undefined> {
  const { workflowService } = connection;
  const execution = listed.execution!;
  const { history } = await workflowService.getWorkflowExecutionHistory({ namespace, execution, maximumPageSize: 5 });
  const events = history!.events!;
  const started = events[0]!.workflowExecutionStartedEventAttributes!;
  const memo = started.memo?.fields?.escapement?.data;
  if (!memo) return undefined;
  const firing = JSON.parse(Buffer.from(memo).toString()) as { scheduleId: string; scheduledTime: string } & Pick<
    ChainFact,
    'epoch' | 'kind'
  >;
  // A run that was open when it was listed may have ended since then.
  const info = listed.closeTime ? listed : ((await describe(connection, namespace, execution)) ?? listed);
  const firstTask = events.find(({ eventType }) => eventType === EVENT_TYPE_WORKFLOW_TASK_SCHEDULED);
  return {
    workflowId: execution.workflowId!,
    runId: execution.runId!,
    firstRunId: started.firstExecutionRunId!,
    workflowType: started.workflowType!.name!,
    ...{
      scheduleId: firing.scheduleId,
      time: Date.parse(firing.scheduledTime),
      epoch: firing.epoch,
      kind: firing.kind,
    },
    startedAt: tsToMs(events[0]!.eventTime),
    firstTaskAt: firstTask && tsToMs(firstTask.eventTime),
    closedAt: info.closeTime ? tsToMs(info.closeTime) : undefined,
    isListedAsEnded: Boolean(listed.closeTime),
    status: STATUS[info.status!]!.replace('WORKFLOW_EXECUTION_STATUS_', ''),
  };
}

function endOf({ closedAt, isListedAsEnded, status }: ChainFact) {
  return { closedAt, isListedAsEnded, status };
}

/** Merges the runs of one chain into one fact, from the beginning of the first run to the end of the last. */
function chainsOf(runs: Run[]): ChainFact[] {
  const chains = new Map<string, ChainFact>();
  for (const run of runs.sort((one, other) => one.startedAt - other.startedAt)) {
    const { runId, ...fact } = run;
    const before = chains.get(fact.firstRunId);
    chains.set(fact.firstRunId, before ? { ...before, ...endOf(fact) } : fact);
  }
  return [...chains.values()];
}
