import { workflowInfo } from '@temporalio/workflow';
import type { EndedChain, FiringKind, FiringOutcome, PreviousInMemo, Recovery, RunAgain } from '../core/firing';

/** A firing whose workflow has ended. Its result is fetched by an activity, from a handle of `workflowId` and `runId`. */
export interface EndedFiring {
  /** Nominal time. */
  scheduledTime: Date;
  /** Of its workflow. */
  workflowId: string;
  /** First run of the chain; without it nobody knows. */
  runId?: string;
  /** When its workflow ended. */
  closedAt: Date;
}

/** The schedule's firing before this one that had ended when this one was started. */
export interface PreviousFiring extends EndedFiring {
  /** How its workflow ended. */
  outcome: FiringOutcome;
  /** What its workflow failed with, where that is known, the first 1,000 characters. */
  failure?: string;
  /** The latest firing that completed: the previous one, or one before it. Without it none of the last 100 did. */
  completed?: EndedFiring;
}

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
  /** Set when a person had it run again: who, when and why, and what it was before. */
  again?: Omit<RunAgain, 'askedAt'> & {
    /** When it was asked for. */
    askedAt: Date;
  };
  /**
   * What came before, as it was known when this workflow was first asked for; undefined while nothing has ended.
   *
   * @see https://docs.temporal.io/develop/typescript/schedules for `lastResult`, which no start call can set
   */
  previous?: PreviousFiring;
}

/**
 * The firing that the current workflow was started for; undefined in one that Escapement did not start. It survives
 * workflow retries, continue-as-new and resets.
 *
 * @throws outside of a workflow, as `workflowInfo()` does
 * @see `docs/installing.md`
 */
export function currentFiring(): CurrentFiring | undefined {
  const memo = workflowInfo().memo?.escapement as
    | (Omit<CurrentFiring, 'scheduledTime' | 'recovery' | 'again' | 'previous'> & {
        scheduledTime: string;
        recovery?: Recovery;
        again?: RunAgain;
        previous?: PreviousInMemo;
      })
    | undefined;
  if (!memo) return undefined;
  const { scheduleId, scheduledTime, kind, startAttempt, actor, recovery, again, previous } = memo;
  return {
    scheduleId,
    scheduledTime: new Date(scheduledTime),
    kind,
    startAttempt,
    ...(actor === undefined ? {} : { actor }),
    ...(recovery === undefined ? {} : { recovery: { ...recovery, recoveredAt: new Date(recovery.recoveredAt) } }),
    ...(again === undefined ? {} : { again: { ...again, askedAt: new Date(again.askedAt) } }),
    ...(previous === undefined ? {} : { previous: previousOf(previous) }),
  };
}

function previousOf({ outcome, failure, completed, ...chain }: PreviousInMemo): PreviousFiring {
  const latest = outcome === 'completed' ? chain : completed;
  return {
    ...endedOf(chain),
    outcome,
    ...(failure === undefined ? {} : { failure }),
    ...(latest === undefined ? {} : { completed: endedOf(latest) }),
  };
}

function endedOf({ scheduledTime, closedAt, ...run }: EndedChain): EndedFiring {
  return { ...run, scheduledTime: new Date(scheduledTime), closedAt: new Date(closedAt) };
}
