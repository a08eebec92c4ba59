import { advanceOf } from './advance';
import { type Candidate, fromPlan, fromWaiting, skipped, withinRemaining } from './candidates';
import type { Circumstances } from './circumstances';
import type { Decided } from './decided';
import type { DuePlan } from './due-plan';
import { newFiring } from './new-firing';

/**
 * Decide for a schedule in shadow: each occurrence is `skipped (shadow)` when it would have been claimed, and takes its action of
 * those that remain. Nothing of it runs here, so that overlap cannot be decided: `escapement compare` does, by what runs in Temporal.
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
    firings: kept.map((candidate) => newFiring(due, candidate, 'skip', 'shadow', circumstances.now)),
    released,
    interrupts: [],
    awaited: [],
    advance: advanceOf(due, { kept, dropped, delayed: [], outcome, released }, circumstances),
    isDelayed: false,
  };
}

function allOf(candidates: Candidate[]) {
  return { decisions: candidates.map(() => 'claim' as const), interrupt: undefined };
}
