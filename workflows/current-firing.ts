import { workflowInfo } from '@temporalio/workflow';
import type { FiringKind, Recovery } from '../core/firing';

/** The firing that a workflow stands for. */
export interface CurrentFiring {
  /** The schedule that it is of. */
  scheduleId: string;
  /** Nominal time: what a nightly job computes its day from, however late it runs. */
  scheduledTime: Date;
  /** Why it exists. */
  kind: FiringKind;
  /** 1, and more after Temporal refused a start. */
  startAttempt: number;
  /** Who asked for it, of a manual firing. */
  actor?: string;
  /** Set when another trigger had to take the firing over: how often, when last and why. */
  recovery?: {
    /** 1 for the first time. */
    number: number;
    /** When it was last taken over. */
    recoveredAt: Date;
    /** Why. */
    reason: Recovery['reason'];
  };
}

/**
 * The firing that the current workflow was started for; undefined in one that Escapement did not start. It survives
 * workflow retries, continue-as-new and resets.
 *
 * @throws outside of a workflow, as `workflowInfo()` does
 * @see `README.md`
 */
export function currentFiring(): CurrentFiring | undefined {
  const memo = workflowInfo().memo?.escapement as
    | (Omit<CurrentFiring, 'scheduledTime' | 'recovery'> & { scheduledTime: string; recovery?: Recovery })
    | undefined;
  if (!memo) return undefined;
  const { scheduleId, scheduledTime, kind, startAttempt, actor, recovery } = memo;
  return {
    scheduleId,
    scheduledTime: new Date(scheduledTime),
    kind,
    startAttempt,
    ...(actor === undefined ? {} : { actor }),
    ...(recovery === undefined ? {} : { recovery: { ...recovery, recoveredAt: new Date(recovery.recoveredAt) } }),
  };
}
