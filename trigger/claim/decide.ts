import { decideOverlap, overlapReason } from '../../core/decisions/overlap';
import type { NewFiring } from '../../store/firings/claim';
import { dueAtOf } from '../definitions';
import { advanceOf } from './advance';
import {
  type Candidate,
  fromPlan,
  fromWaiting,
  isOfSpec,
  isWaiting,
  keyOf,
  policyIn,
  skipped,
  sortOut,
  withinRemaining,
  withoutReplaced,
} from './candidates';
import type { Circumstances } from './circumstances';
import type { Decided } from './decided';
import type { DuePlan, Released } from './due-plan';
import { newFiring } from './new-firing';
import { withinQuota } from './quota';
import { decideInShadow } from './shadow';
import { turnOfReleased } from './turn';

export const CLAIM = 'the claim';

/** How many open firings fill a schedule, if its policies limit their number. */
export function fullOf({ policies }: Pick<DuePlan['definition'], 'policies'>): number {
  return policies.maxConcurrent ?? 1;
}

/** Decides about the buffered and the due firings of a schedule, oldest first, under the schedule's lock. */
export function decide(due: DuePlan, circumstances: Circumstances): Decided {
  const { timer, definition, plan } = due;
  const { open, taken, verified } = circumstances;
  if (timer.shadow) return decideInShadow(due, circumstances);
  const holding = open.filter((firing) => firing.state !== 'buffered' && firing.holds);
  const buffered = open.filter((firing) => firing.state === 'buffered');
  const { going: awake, stopped, leftUntil } = sortOut(timer, definition, buffered, circumstances.now);
  const planned = plan.firings.filter((firing) => !taken.has(firing.scheduledTime));
  const { going: current, stopped: replaced } = withoutReplaced(awake, planned);
  // During a freeze, buffered firings of the spec stay buffered. Firings that a person asked for continue. Planned
  // occurrences were due before the freeze, and are decided too.
  const isFrozen = plan.frozenUntil !== undefined;
  const going = isFrozen ? current.filter((firing) => !isOfSpec(firing)) : current;
  const isFreezeInFront = isFrozen && current.some(isOfSpec);
  const candidates = [...going.map(fromWaiting), ...planned.map((firing) => fromPlan(timer, firing))].sort(
    (one, other) => one.scheduledTime.getTime() - other.scheduledTime.getTime(),
  );
  const policyOf = policyIn(definition, circumstances);
  const overlap = (some: Candidate[]) =>
    decideOverlap(
      holding.length,
      some.map((one) => ({ ...policyOf(one), isBehindFrozen: isFreezeInFront && isOfSpec(one) })),
      definition.policies.maxConcurrent ?? null,
    );
  const within = withinRemaining(timer, candidates, overlap);
  const { kept, dropped, delayed, outcome } = withinQuota(within, overlap, circumstances.quota);
  const leavesOut = outcome.decisions.some((decision) => decision === 'skip' || decision === 'supersede');
  const { interrupt } = outcome;
  const ended = holding.slice(0, interrupt?.count ?? 0);
  const withdrawn = holding
    .slice(ended.length)
    .filter(({ state, interrupt: wanted }) => state === 'claimed' && wanted !== null)
    .map(keyOf);
  const confirmed = verified.get(timer.scheduleId);
  // Blocking firings beyond this number change no decision.
  const full = fullOf(definition);
  const sure = holding.filter(({ scheduledTime }) => confirmed?.holders.has(scheduledTime.getTime())).length;
  if (leavesOut && sure < Math.min(holding.length, full)) {
    return { withdrawn, suspect: { scheduleId: timer.scheduleId, holding, full } };
  }

  const firings: NewFiring[] = [];
  const released: Released[] = [
    ...stopped,
    ...replaced,
    ...dropped.filter(isWaiting).map((candidate) => skipped(candidate, 'completed')),
  ];
  kept.forEach((candidate, index) => {
    const decision = outcome.decisions[index]!;
    const reason =
      decision === 'skip' || decision === 'supersede'
        ? overlapReason(decision, policyOf(candidate), {
            begun: holding.length === 0 ? 0 : (confirmed?.begun ?? 0),
            maxConcurrent: definition.policies.maxConcurrent ?? null,
          })
        : null;
    if (!isWaiting(candidate)) firings.push(newFiring(due, candidate, decision, reason, circumstances.now));
    else if (decision === 'claim') {
      const turn = turnOfReleased(candidate.kind, dueAtOf(definition, candidate), circumstances.now);
      released.push({ ...keyOf(candidate), state: 'claimed', reason: null, tenant: timer.tenant, ...turn });
    } else if (reason !== null) released.push(skipped(candidate, reason));
  });
  return {
    withdrawn,
    suspect: undefined,
    firings,
    released,
    interrupts: interrupt ? ended.map((firing) => ({ ...keyOf(firing), kind: interrupt.kind })) : [],
    awaited: outcome.decisions.includes('wait') ? holding.filter(({ state }) => state === 'linked').map(keyOf) : [],
    advance: advanceOf(due, { kept, dropped, delayed, outcome, released, leftUntil }, circumstances),
    isDelayed: delayed.length > 0,
  };
}
