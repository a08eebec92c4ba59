import type { OverlapPolicy } from '../schedule';

/** What overlap makes of one candidate: it fires, it is skipped, or it waits in the ledger for its turn. */
export type OverlapDecision = 'claim' | 'skip' | 'wait';

/** How a running chain is made to end. */
export type InterruptKind = 'cancel' | 'terminate';

/** A firing that is due or waits, under its own policy. */
export interface OverlapCandidate {
  policy: OverlapPolicy;
  /** Has waited as long as one waits for a cancelled chain to end. */
  waitedEnough?: boolean;
}

/** What becomes of the candidates, and of what holds the schedule. */
export interface OverlapOutcome {
  /** In the order of the candidates. */
  decisions: OverlapDecision[];
  /** How many of the oldest firings that hold the schedule are to be ended, and how. */
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
  let waiting = 0;
  let kind: InterruptKind | undefined;

  candidates.forEach(({ policy, waitedEnough }, index) => {
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
        decisions.push(waiting === 0 ? 'wait' : 'skip');
        waiting = Math.max(waiting, 1);
        return;
      case 'BUFFER_ALL':
      case 'ALLOW_ALL':
        decisions.push('wait');
        waiting += 1;
        return;
      default: {
        // As many as make room for it: beside one that may not be replaced it has to wait.
        const excess = running - capacity + 1;
        if (replaceable.length >= excess) {
          for (const replaced of replaceable.splice(0, excess)) decisions[replaced] = 'skip';
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
        if (former === undefined) waiting += 1;
        else decisions[former] = 'skip';
        replacing.push(index);
        decisions.push('wait');
        kind = policy === 'TERMINATE_OTHER' || kind === 'terminate' ? 'terminate' : 'cancel';
      }
    }
  });

  const count = held - (maxConcurrent ?? 1) + 1;
  return { decisions, interrupt: kind && count > 0 ? { kind, count } : undefined };
}
