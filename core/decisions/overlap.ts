import type { OverlapPolicy } from '../schedule';

/**
 * What overlap makes of one candidate: it fires, it is skipped, a later one takes its place, or it waits in the ledger for
 * its turn.
 */
export type OverlapDecision = 'claim' | 'skip' | 'supersede' | 'wait';

/** How a running chain is made to end. */
export type InterruptKind = 'cancel' | 'terminate';

/** A firing that is due or waits, under its own policy. */
export interface OverlapCandidate {
  policy: OverlapPolicy;
  /** Since when it waits, epoch milliseconds; undefined for one that has just come due. */
  waitingSince?: number | undefined;
  /** Has waited as long as one waits for a cancelled chain to end. */
  waitedEnough?: boolean;
}

/** What becomes of the candidates, and of what holds the schedule. */
export interface OverlapOutcome {
  /** In the order of the candidates. */
  decisions: OverlapDecision[];
  /**
   * How many of the oldest firings that hold the schedule are to be ended, and how; more than are held where some are
   * claimed only by this decision.
   */
  interrupt: { kind: InterruptKind; count: number } | undefined;
}

/**
 * Decide what becomes of firings of one schedule, oldest first, while `held` earlier ones hold it. A schedule is held
 * by `maxConcurrent` firings, or one; under ALLOW_ALL by `maxConcurrent`, or never.
 *
 * As in Temporal, a later candidate under CANCEL_OTHER or TERMINATE_OTHER replaces one that has not begun yet.
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
        // What waited before it counts, not what a later backfill has put in front.
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
        // As many as make room for it: beside one that may not be replaced it has to wait.
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

  // Nor does one that a backfill has put in front wait besides what waited before it.
  candidates.forEach(({ policy, waitingSince = Number.POSITIVE_INFINITY }, index) => {
    if (policy === 'BUFFER_ONE' && decisions[index] === 'wait' && waitingSince > waitingFirst!)
      decisions[index] = 'skip';
  });

  return { decisions, interrupt: kind && { kind, count: running - (maxConcurrent ?? 1) + 1 } };
}

/** Why overlap does not let a firing be. */
export type OverlapReason = 'overlap' | 'overlap_waiting' | 'superseded' | 'cancel_ignored';

/** Only what has begun runs: behind one that still waits for its start, nothing is said to overlap. */
export function overlapReason(
  decision: 'skip' | 'supersede',
  { waitedEnough }: OverlapCandidate,
  { begun, maxConcurrent }: { begun: number; maxConcurrent: number | null },
): OverlapReason {
  if (decision === 'supersede') return 'superseded';
  if (waitedEnough) return 'cancel_ignored';
  return begun >= (maxConcurrent ?? 1) ? 'overlap' : 'overlap_waiting';
}
