import { workflowInfo } from '@temporalio/workflow';
import type { EndedChain, FiringKind, FiringOutcome, PreviousInMemo, Recovery, RunAgain } from '../core/firing';

/**
 * A firing whose workflow has ended. An activity can get the workflow's result from a handle of `workflowId` and
 * `runId`.
 */
export interface EndedFiring {
  /** The nominal time. */
  scheduledTime: Date;
  /** The ID of the firing's workflow. */
  workflowId: string;
  /** The first run of the chain; undefined if it is unknown. */
  runId?: string;
  /** When the firing's workflow ended. */
  closedAt: Date;
}

/** Of the schedule's 100 firings before this one, the latest that had ended when this workflow was started. */
export interface PreviousFiring extends EndedFiring {
  /** How the workflow of the previous firing ended. */
  outcome: FiringOutcome;
  /** The first 1,000 characters of that workflow's failure message, if the ledger had them. */
  failure?: string;
  /**
   * The latest firing that completed: the previous one, or an earlier one. Undefined if none of the 100 firings before
   * this one completed.
   */
  completed?: EndedFiring;
}

/** The firing for which a workflow runs. */
export interface CurrentFiring {
  /** The ID of the firing's schedule. */
  scheduleId: string;
  /** The nominal time: a nightly job computes its day from this time, however late the job runs. */
  scheduledTime: Date;
  /** Why the firing exists. */
  kind: FiringKind;
  /**
   * The number of the start attempt: 1, plus one for each start that Temporal has rejected as invalid since the last
   * redrive or run again.
   */
  startAttempt: number;
  /** Who asked for the firing, if it is a manual one, a backfill or run again. */
  actor?: string;
  /** Set if another trigger took the firing over before this start, after an announced one: how often, when last and why. */
  recovery?: {
    /** How often the firing was taken over: 1 for the first time. */
    number: number;
    /** When the firing was last taken over. */
    recoveredAt: Date;
    /** Why the firing was last taken over. */
    reason: Recovery['reason'];
  };
  /** Set if a person asked to run the firing again: who, when, why, and the former result. */
  again?: Omit<RunAgain, 'askedAt'> & {
    /** When the person asked for the new run. */
    askedAt: Date;
  };
  /**
   * The previous firing, as the ledger showed it when this workflow was started; undefined if there was none.
   *
   * @see https://docs.temporal.io/develop/typescript/schedules for `lastResult`, which no start call can set
   */
  previous?: PreviousFiring;
}

/**
 * The firing that the current workflow was started for; undefined in a workflow that Escapement did not start. The
 * value survives workflow retries and resets, and each continue-as-new that keeps the memo.
 *
 * @throws an error outside of a workflow, as `workflowInfo()` does
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
