import type { OverlapPolicy } from '../schedule/policies';

/**
 * The overlap policy's decision about one firing: the firing starts, is skipped, is replaced by a later firing, or
 * waits in the ledger.
 */
export type OverlapDecision = 'claim' | 'skip' | 'supersede' | 'wait';

export type InterruptKind = 'cancel' | 'terminate';

export interface OverlapCandidate {
  policy: OverlapPolicy;
  /** Since when the firing waits, in epoch milliseconds; undefined if it has just become due. */
  waitingSince?: number | undefined;
  /** Whether the firing has waited as long as is allowed for a cancelled chain to end. */
  waitedEnough?: boolean;
  /** Whether a freeze holds back a firing that this one must not overtake. @default false */
  isBehindFrozen?: boolean;
}

export interface OverlapOutcome {
  /** One decision for each candidate, in the same order. */
  decisions: OverlapDecision[];
  /**
   * How many of the oldest blocking firings are ended, and how. The count may exceed `held`: it includes firings that this
   * same decision claims, since they block later ones too.
   */
  interrupt: { kind: InterruptKind; count: number } | undefined;
}

/**
 * Decides about the due and waiting firings of one schedule, oldest first, while `held` earlier firings are open. A
 * schedule is full when `maxConcurrent` firings are open. Without that limit, the schedule is full when one firing is
 * open; under ALLOW_ALL, it is never full. Unless the schedule is never full, a firing of the spec does not overtake
 * one that a freeze holds back.
 *
 * As in Temporal, a later firing under CANCEL_OTHER or TERMINATE_OTHER replaces earlier ones that this decision would
 * start, or one that waits under these policies.
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

  candidates.forEach(({ policy, waitedEnough, waitingSince = Number.POSITIVE_INFINITY, isBehindFrozen }, index) => {
    const capacity = maxConcurrent ?? (policy === 'ALLOW_ALL' ? Number.POSITIVE_INFINITY : 1);
    const isHeldUp = isBehindFrozen && capacity !== Number.POSITIVE_INFINITY;
    if (running < capacity && !isHeldUp) {
      decisions.push('claim');
      running += 1;
      // If the schedule is never full, no later firing needs to replace this one.
      if (capacity !== Number.POSITIVE_INFINITY) replaceable.push(index);
      return;
    }
    switch (policy) {
      case 'SKIP':
        decisions.push('skip');
        return;
      case 'BUFFER_ONE':
        // An earlier candidate that began to wait later, such as a backfill, does not count.
        if (isHeldUp || (waitingFirst !== undefined && waitingFirst <= waitingSince)) {
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
        // No chain is ended for a firing behind one that a freeze holds back.
        if (isHeldUp) {
          decisions.push('wait');
          return;
        }
        // Of the firings that this decision has claimed, the oldest is replaced if this one can then start.
        const replaced = running === capacity ? replaceable.shift() : undefined;
        if (replaced !== undefined) {
          decisions[replaced] = 'supersede';
          decisions.push('claim');
          replaceable.push(index);
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

  // A BUFFER_ONE firing does not wait if another firing has waited longer, even one behind it.
  candidates.forEach(({ policy, waitingSince = Number.POSITIVE_INFINITY }, index) => {
    if (policy === 'BUFFER_ONE' && decisions[index] === 'wait' && waitingSince > waitingFirst!)
      decisions[index] = 'skip';
  });

  return { decisions, interrupt: kind && { kind, count: running - (maxConcurrent ?? 1) + 1 } };
}

export type OverlapReason = 'overlap' | 'overlap_waiting' | 'superseded' | 'cancel_ignored';

/**
 * Why the overlap policy does not let a firing start. A skip has the reason `cancel_ignored` if a cancelled chain did
 * not end in time, else `overlap` if as many firings have begun as may run, else `overlap_waiting`.
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
