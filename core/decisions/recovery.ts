import type { FiringKind } from '../firing';

/** The ledger's data about a firing that is claimed and not linked. Instants are epoch milliseconds. */
export interface LostFiring {
  /**
   * The time from which the firing's lateness counts: when it became ready or, for a firing that was claimed on time,
   * its claim if that was later.
   */
  dueAt: number;
  kind: FiringKind;
  /** How many start calls Temporal has rejected with an error that a retry cannot fix. */
  rejectedAttempts: number;
  /** When a start was first announced: its call may have succeeded. Undefined if no announcement stands. */
  firstAttemptedAt: number | undefined;
  /**
   * For how many milliseconds the start has failed while its namespace answered other calls, or refused all calls; else
   * 0.
   */
  refusedForMilliseconds?: number;
  /** Also `paused` if a pause has ended that found the firing waiting without an announcement: it skips the firing. */
  schedule: 'enabled' | 'paused' | 'deleted';
  /** Whether a person redrove the firing: its age and the state of its schedule then do not matter. */
  redriven?: boolean;
}

export interface RecoveryLimits {
  now: number;
  catchupWindowMilliseconds: number;
  onUncertain: 'SKIP' | 'START';
  /** How long Temporal deduplicates repeated starts; undefined if that is not known. */
  deduplicatedForMilliseconds: number | undefined;
  rejectedAttemptsAtMost: number;
  refusedAtMostMilliseconds: number;
}

/** The reason for which a firing was abandoned. */
export type AbandonReason = (typeof ABANDON_REASONS)[number];
export const ABANDON_REASONS = [
  'start_rejected',
  'start_refused',
  'schedule_paused',
  'schedule_deleted',
  'outside_catchup_window',
  'start_uncertain',
  'workflow_id_taken',
] as const;

export type SkipReason = 'paused' | 'schedule_deleted';

/**
 * `dispatch` puts a firing without an announced start back into the queue, and `skip` ends the firing as skipped.
 * `start` calls start again, at most `rememberedFor` milliseconds after the first announcement. `find` looks for the
 * workflow of an earlier call: it links that workflow, or abandons the firing if there is none. `wait` leaves the
 * decision to a later poll.
 */
export type RecoveryDecision =
  | { action: 'dispatch' }
  | { action: 'skip'; reason: SkipReason }
  | { action: 'start'; rememberedFor: number }
  | { action: 'find'; reason: AbandonReason }
  | { action: 'abandon'; reason: AbandonReason }
  | { action: 'wait' };

/** If the start of a lost firing was called, its workflow may already be running. */
export function decideRecovery(firing: LostFiring, limits: RecoveryLimits): RecoveryDecision {
  if (firing.firstAttemptedAt === undefined) {
    const reason = limitReached(firing, limits);
    // A pause or a deletion skips firings that wait for their start, so a lost firing is skipped too.
    if (reason === 'schedule_paused') return { action: 'skip', reason: 'paused' };
    if (reason === 'schedule_deleted') return { action: 'skip', reason };
    return reason ? { action: 'abandon', reason } : { action: 'dispatch' };
  }
  if (limits.deduplicatedForMilliseconds === undefined) return { action: 'wait' };
  const isForgotten = limits.now - firing.firstAttemptedAt >= limits.deduplicatedForMilliseconds;
  const isSkipped = limits.onUncertain === 'SKIP';
  const reason = limitReached(firing, limits);
  // A start that was called is not refused or rejected by its schedule's state or its age: it may have succeeded.
  const isOfSchedule = reason !== undefined && reason !== 'start_refused' && reason !== 'start_rejected';
  if (isForgotten && (isSkipped || isOfSchedule)) return { action: 'find', reason: 'start_uncertain' };
  const rememberedFor = isSkipped ? limits.deduplicatedForMilliseconds : Number.POSITIVE_INFINITY;
  return reason ? { action: 'find', reason } : { action: 'start', rememberedFor };
}

function limitReached(firing: LostFiring, limits: RecoveryLimits): AbandonReason | undefined {
  if (firing.rejectedAttempts >= limits.rejectedAttemptsAtMost) return 'start_rejected';
  if ((firing.refusedForMilliseconds ?? 0) >= limits.refusedAtMostMilliseconds) return 'start_refused';
  if (firing.redriven) return undefined;
  if (firing.schedule === 'deleted') return 'schedule_deleted';
  // Somebody requested this firing, so its age and a paused schedule do not matter.
  if (firing.kind === 'manual' || firing.kind === 'backfill') return undefined;
  if (firing.schedule === 'paused') return 'schedule_paused';
  if (limits.now - firing.dueAt > limits.catchupWindowMilliseconds) return 'outside_catchup_window';
  return undefined;
}
