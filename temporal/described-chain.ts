import { temporal } from '@temporalio/proto';
import type { FiringOutcome } from '../core/firing';
import type { StallSettings } from './caller';
import { firingMemoOf } from './firing-memo';
import { read } from './payloads';
import type { Chain, EndedRun, StalledReason } from './port';

const { PendingWorkflowTaskState, WorkflowExecutionStatus } = temporal.api.enums.v1;

const OUTCOMES: Partial<Record<temporal.api.enums.v1.WorkflowExecutionStatus, FiringOutcome>> = {
  [WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_COMPLETED]: 'completed',
  [WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_FAILED]: 'failed',
  [WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_TIMED_OUT]: 'timed_out',
  [WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_CANCELED]: 'canceled',
  [WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_TERMINATED]: 'terminated',
};

export function chainOf(
  described: temporal.api.workflowservice.v1.IDescribeWorkflowExecutionResponse,
  settings: StallSettings,
): Chain {
  const info = described.workflowExecutionInfo!;
  const memo = firingMemoOf(info.memo);
  return {
    firstRunId: info.firstRunId || info.execution!.runId!,
    runId: info.execution!.runId!,
    outcome: OUTCOMES[info.status!],
    closedAt: dateOf(info.closeTime),
    memo,
    // Most workflows that a ledger started have this attribute too. So a workflow belongs to a Temporal Schedule only
    // if it has no firing's memo.
    nativeScheduleId: memo ? undefined : read<string>(info.searchAttributes?.indexedFields?.TemporalScheduledById),
    stalled: isPaused(info) ? 'paused' : stalledReasonOf(described.pendingWorkflowTask, settings),
  };
}

export function endedRunOf(info: temporal.api.workflow.v1.IWorkflowExecutionInfo): EndedRun | undefined {
  const memo = firingMemoOf(info.memo);
  const closedAt = dateOf(info.closeTime);
  if (!memo || !closedAt) return undefined;
  const { workflowId, runId } = info.execution as { workflowId: string; runId: string };
  return { workflowId, runId, memo, outcome: OUTCOMES[info.status!], closedAt };
}

/** People can pause workflows on some servers, such as 1.32. Workers get no tasks of a paused workflow. */
function isPaused({ status }: temporal.api.workflow.v1.IWorkflowExecutionInfo): boolean {
  return status === WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_PAUSED;
}

/** Whether a run goes on, or will once somebody unpauses it. */
export function isOpen(info: temporal.api.workflow.v1.IWorkflowExecutionInfo): boolean {
  return info.status === WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING || isPaused(info);
}

/**
 * A workflow task counts as failing from this attempt on: a task is attempted again if it failed, or if its worker did
 * not answer.
 */
const FAILING_ATTEMPTS = 3;

function stalledReasonOf(
  task: temporal.api.workflow.v1.IPendingWorkflowTaskInfo | null | undefined,
  { stalledAfterMilliseconds, now = Date.now }: StallSettings,
): StalledReason | undefined {
  if (!task) return undefined;
  if (Number(task.attempt ?? 1) >= FAILING_ATTEMPTS) return 'task_failing';
  const waiting = task.state === PendingWorkflowTaskState.PENDING_WORKFLOW_TASK_STATE_SCHEDULED;
  const since = dateOf(task.originalScheduledTime)?.getTime();
  if (!waiting || since === undefined) return undefined;
  return now() - since >= stalledAfterMilliseconds ? 'no_worker' : undefined;
}

export function dateOf(time: { seconds?: unknown; nanos?: number | null } | null | undefined): Date | undefined {
  return time ? new Date(Number(time.seconds ?? 0) * 1_000 + (time.nanos ?? 0) / 1e6) : undefined;
}
