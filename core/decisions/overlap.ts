import type { OverlapPolicy } from '../schedule';

/** What overlap makes of one candidate. */
export type OverlapDecision = 'claim' | 'skip';

/**
 * Decide what becomes of firings of one schedule that are due together, oldest first, while `open` earlier ones hold
 * it. Under SKIP the first one fires when nothing is open, and then holds the schedule against those behind it.
 *
 * @param candidates the policy of each candidate
 */
export function decideOverlap(open: number, candidates: OverlapPolicy[]): OverlapDecision[] {
  let held = open;
  return candidates.map((policy) => {
    if (policy !== 'ALLOW_ALL' && held > 0) return 'skip';
    held += 1;
    return 'claim';
  });
}
