import type { OverlapPolicy } from '../schedule/policies';

/**
 * The overlap policy's decision for one candidate: it fires, it is skipped, it is replaced by a later one, or it waits
 * in the ledger.
 */
export type OverlapDecision = 'claim' | 'skip' | 'supersede' | 'wait';

/** How to end a running chain. */
export type InterruptKind = 'cancel' | 'terminate';

/** A firing that is due or waits, with its own policy. */
export interface OverlapCandidate {
  policy: OverlapPolicy;
  /** Since when it waits, in epoch milliseconds; undefined if it has just become due. */
  waitingSince?: number | undefined;
  /** Whether it has waited as long as allowed for a cancelled chain to end. */
  waitedEnough?: boolean;
}

/** The decisions about the candidates, and about the firings that hold the schedule. */
export interface OverlapOutcome {
  /** One decision per candidate, in the same order. */
  decisions: OverlapDecision[];
  /**
   * How many of the oldest holding firings to end, and how. The number may exceed the firings that are held, if this
   * decision itself claims some of them.
   */
  interrupt: { kind: InterruptKind; count: number } | undefined;
}

/**
 * Decide about the candidates of one schedule, oldest first, while `held` earlier firings are open. A schedule is full
 * with `maxConcurrent` open firings, or with one. Under ALLOW_ALL it is full with `maxConcurrent`, or never.
 *
 * As in Temporal, a later candidate under CANCEL_OTHER or TERMINATE_OTHER replaces one that has not started yet.
 *
 * @see https://docs.temporal.io/schedule#overlap-policy
 */
export function decideOverlap(
  held: number,
  candidates: OverlapCandidate[],
  maxConcurrent: number | null = null,
): OverlapOutcome {
  const decisions: OverlapDecision[] = [];
  const replaceable: number[] = [];
  const replacing: number[] = [];
  let running = held;
  let waitingFirst: number | undefined;
  let kind: InterruptKind | undefined;

  candidates.forEach(({ policy, waitedEnough, waitingSince = Number.POSITIVE_INFINITY }, index) => {
    const capacity = maxConcurrent ?? (policy === 'ALLOW_ALL' ? Number.POSITIVE_INFINITY : 1);
    if (running < capacity) {
      decisions.push('claim');
      running += 1;
      if (policy !== 'ALLOW_ALL') replaceable.push(index);
      return;
    }
    switch (policy) {
      case 'SKIP':
        decisions.push('skip');
        return;
      case 'BUFFER_ONE':
        // Only candidates that waited before it count, not those that a later backfill has put in front of it.
        if (waitingFirst !== undefined && waitingFirst <= waitingSince) {
          decisions.push('skip');
          return;
        }
        decisions.push('wait');
        waitingFirst = waitingSince;
        return;
      case 'BUFFER_ALL':
      case 'ALLOW_ALL':
        decisions.push('wait');
        waitingFirst = Math.min(waitingFirst ?? waitingSince, waitingSince);
        return;
      default: {
        // End as many as needed to make room. If one of them may not be replaced, the candidate waits.
        const excess = running - capacity + 1;
        if (replaceable.length >= excess) {
          for (const replaced of replaceable.splice(0, excess)) decisions[replaced] = 'supersede';
          decisions.push('claim');
          replaceable.push(index);
          running += 1 - excess;
          return;
        }
        if (waitedEnough) {
          decisions.push('skip');
          return;
        }
        const former = replacing.pop();
        if (former !== undefined) decisions[former] = 'supersede';
        waitingFirst = Math.min(waitingFirst ?? waitingSince, waitingSince);
        replacing.push(index);
        decisions.push('wait');
        kind = policy === 'TERMINATE_OTHER' || kind === 'terminate' ? 'terminate' : 'cancel';
      }
    }
  });

  // A candidate that a backfill has put in front does not wait in addition to those that waited before it.
  candidates.forEach(({ policy, waitingSince = Number.POSITIVE_INFINITY }, index) => {
    if (policy === 'BUFFER_ONE' && decisions[index] === 'wait' && waitingSince > waitingFirst!)
      decisions[index] = 'skip';
  });

  return { decisions, interrupt: kind && { kind, count: running - (maxConcurrent ?? 1) + 1 } };
}

/** Why the overlap policy skips a firing. */
export type OverlapReason = 'overlap' | 'overlap_waiting' | 'superseded' | 'cancel_ignored';

/**
 * Only a started firing counts as running. A firing behind one that still waits for its start does not overlap with
 * anything.
 */
export function overlapReason(
  decision: 'skip' | 'supersede',
  { waitedEnough }: OverlapCandidate,
  { begun, maxConcurrent }: { begun: number; maxConcurrent: number | null },
): OverlapReason {
  if (decision === 'supersede') return 'superseded';
  if (waitedEnough) return 'cancel_ignored';
  return begun >= (maxConcurrent ?? 1) ? 'overlap' : 'overlap_waiting';
}
