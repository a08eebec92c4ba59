import { advanceOf } from './advance';
import { type Candidate, fromPlan, fromWaiting, skipped, withinRemaining } from './candidates';
import type { Circumstances } from './circumstances';
import type { Decided } from './decided';
import type { DuePlan } from './due-plan';
import { newFiring } from './new-firing';

/**
 * Each occurrence becomes `skipped (shadow)` at the time when it would have been claimed, and uses one of the remaining
 * actions. Overlap is not decided, since in shadow mode this ledger starts no workflow of the schedule.
 */
export function decideInShadow(due: DuePlan, circumstances: Circumstances): Decided {
  const { timer, plan } = due;
  const planned = plan.firings.filter(({ scheduledTime }) => !circumstances.taken.has(scheduledTime));
  const candidates = planned.map((firing) => fromPlan(timer, firing));
  const { kept, dropped, outcome } = withinRemaining(timer, candidates, allOf);
  const waiting = circumstances.open.filter(({ state }) => state === 'buffered').map(fromWaiting);
  const released = waiting.map((candidate) => skipped(candidate, 'shadow'));
  return {
    suspect: undefined,
    suspectNext: undefined,
    firings: kept.map((candidate) => newFiring(due, candidate, 'skip', 'shadow', circumstances.now)),
    released,
    interrupts: [],
    spared: [],
    awaited: [],
    advance: advanceOf(due, { kept, dropped, delayed: [], outcome, released, leftUntil: [] }, circumstances),
    isDelayed: false,
  };
}

function allOf(candidates: Candidate[]) {
  return { decisions: candidates.map(() => 'claim' as const), interrupt: undefined };
}
