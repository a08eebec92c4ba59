import type { FiringKind } from '../firing';

/** What the reconciler knows of a firing that was claimed and never linked. Instants are epoch milliseconds. */
export interface LostFiring {
  /** When it was to start: the nominal time plus its jitter, or its turn among those that waited for others. */
  dueAt: number;
  kind: FiringKind;
  /** Starts that Temporal refused for good. */
  rejectedAttempts: number;
  /** The first start call, which may have landed; undefined when none was ever made, so that it cannot double. */
  firstAttemptedAt: number | undefined;
  /** For how long each of its starts has failed though its server answers, milliseconds; 0 while none has. */
  refusedForMilliseconds?: number;
  schedule: 'enabled' | 'paused' | 'deleted';
  /** Whether a person redrove it, whatever its age and the schedule's state. */
  redriven?: boolean;
}

/** Limits of recovery. */
export interface RecoveryLimits {
  now: number;
  catchupWindowMilliseconds: number;
  onUncertain: 'SKIP' | 'START';
  /** How long after a start Temporal still deduplicates it; undefined while Temporal has not said. */
  deduplicatedForMilliseconds: number | undefined;
  rejectedAttemptsAtMost: number;
  refusedAtMostMilliseconds: number;
}

/** Why a firing was given up. */
export type AbandonReason =
  | 'start_rejected'
  | 'start_refused'
  | 'schedule_paused'
  | 'schedule_deleted'
  | 'outside_catchup_window'
  | 'start_uncertain'
  | 'workflow_id_taken';

/** Why a firing that nobody called never will be. */
export type SkipReason = 'paused' | 'schedule_deleted';

/**
 * `dispatch` lets a firing that nobody has called wait for its turn, `skip` ends it. `start` calls start again, harmless for
 * `rememberedFor` milliseconds after the first call; `find` links what a start left in Temporal and abandons only where
 * there is nothing; `wait` asks again later.
 */
export type RecoveryDecision =
  | { action: 'dispatch' }
  | { action: 'skip'; reason: SkipReason }
  | { action: 'start'; rememberedFor: number }
  | { action: 'find'; reason: AbandonReason }
  | { action: 'abandon'; reason: AbandonReason }
  | { action: 'wait' };

/** Decide what becomes of a lost firing. What was never attempted cannot double; what was may already be running. */
export function decideRecovery(firing: LostFiring, limits: RecoveryLimits): RecoveryDecision {
  if (firing.firstAttemptedAt === undefined) {
    const reason = limitReached(firing, limits);
    // As a pause, or a deletion, ends what waits for its start.
    if (reason === 'schedule_paused') return { action: 'skip', reason: 'paused' };
    if (reason === 'schedule_deleted') return { action: 'skip', reason };
    return reason ? { action: 'abandon', reason } : { action: 'dispatch' };
  }
  if (limits.deduplicatedForMilliseconds === undefined) return { action: 'wait' };
  const rememberedFor = limits.onUncertain === 'SKIP' ? limits.deduplicatedForMilliseconds : Number.POSITIVE_INFINITY;
  if (limits.now - firing.firstAttemptedAt >= rememberedFor) return { action: 'find', reason: 'start_uncertain' };
  const reason = limitReached(firing, limits);
  return reason ? { action: 'find', reason } : { action: 'start', rememberedFor };
}

function limitReached(firing: LostFiring, limits: RecoveryLimits): AbandonReason | undefined {
  if (firing.rejectedAttempts >= limits.rejectedAttemptsAtMost) return 'start_rejected';
  if ((firing.refusedForMilliseconds ?? 0) >= limits.refusedAtMostMilliseconds) return 'start_refused';
  if (firing.redriven) return undefined;
  if (firing.schedule === 'deleted') return 'schedule_deleted';
  // A person asked for it, on a paused schedule too, and whatever its age.
  if (firing.kind === 'manual' || firing.kind === 'backfill') return undefined;
  if (firing.schedule === 'paused') return 'schedule_paused';
  if (limits.now - firing.dueAt > limits.catchupWindowMilliseconds) return 'outside_catchup_window';
  return undefined;
}
