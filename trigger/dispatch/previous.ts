import type { EndedChain, PreviousInMemo } from '../../core/firing';
import type { EndedFiringRow, PreviousFiring } from '../../store/firings/previous';

/** Failure texts are cut to this length, since the size of a memo is limited. */
const FAILURE_CHARACTERS = 1_000;

export function previousOf({ outcome, failure, completed, ...row }: PreviousFiring): PreviousInMemo {
  return {
    ...chainOf(row),
    outcome,
    ...(failure ? { failure: failure.slice(0, FAILURE_CHARACTERS).toWellFormed() } : {}),
    ...(completed && outcome !== 'completed' ? { completed: chainOf(completed) } : {}),
  };
}

function chainOf({ scheduledTime, workflowId, runId, closedAt }: EndedFiringRow): EndedChain {
  return {
    scheduledTime: scheduledTime.toISOString(),
    workflowId,
    ...(runId === null ? {} : { runId }),
    closedAt: closedAt.toISOString(),
  };
}
