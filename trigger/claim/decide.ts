import { decideOverlap, overlapReason } from '../../core/decisions/overlap';
import { DEFAULTS } from '../../core/defaults';
import type { NewFiring } from '../../store/firings/claim';
import type { OpenFiring } from '../../store/firings/open-firings';
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
  const { going: awake, stopped, leftUntil, hasUnknown } = sortOut(timer, definition, buffered, circumstances.now);
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
  const confirmed = verified.get(timer.scheduleId);
  const sure = holding.filter(({ scheduledTime }) => confirmed?.holders.has(scheduledTime.getTime())).length;
  // Blocking firings beyond those that fill the schedule change no decision, except which of them are ended.
  const endsSome = ended.length > 0 && ended.length < holding.length;
  const full = endsSome ? holding.length : fullOf(definition);
  const isUnsure = (leavesOut || endsSome) && sure < Math.min(holding.length, full);
  const suspect = isUnsure ? { scheduleId: timer.scheduleId, holding, full } : undefined;
  // Of a firing that is left undecided it is not known for whose end it will wait.
  const isLeft = hasUnknown || (delayed.length > 0 && !circumstances.quota?.isUsedUp);
  // An older interrupt is withdrawn until Temporal has said that all chains still run. A new one follows such an answer.
  const isNew = ({ interruptAt }: OpenFiring) => +interruptAt! > circumstances.now - DEFAULTS.onTimeMilliseconds;
  const stillEnded = endsSome && isUnsure ? ended.filter(isNew) : ended;
  const spared = isLeft ? [] : sparedOf(open, stillEnded, circumstances.now);
  // Whatever does not depend on Temporal's answer is written before Temporal is asked. During an outage, the catch-up
  // window of an occurrence could pass.
  const hasMore =
    !kept.every(isWaiting) || stopped.length + replaced.length + dropped.length + plan.gaps.length > 0 || due.endsPause;
  if (suspect && (leavesOut || !hasMore)) return { spared, suspect };

  const cancelling = kept.filter(
    (candidate, index) => outcome.decisions[index] === 'wait' && policyOf(candidate).policy === 'CANCEL_OTHER',
  );
  const waitingSince = new Date(Math.max(0, ...cancelling.map((one) => one.waitingSince ?? circumstances.now)));

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
  const advance = advanceOf(due, { kept, dropped, delayed, outcome, released, leftUntil }, circumstances);
  return {
    spared,
    suspect: undefined,
    suspectNext: suspect,
    firings,
    released,
    interrupts:
      interrupt && !suspect ? ended.map((firing) => ({ ...keyOf(firing), kind: interrupt.kind, waitingSince })) : [],
    awaited: outcome.decisions.includes('wait') ? holding.filter(({ state }) => state === 'linked').map(keyOf) : [],
    advance: suspect ? { ...advance, wakeAt: new Date(circumstances.now) } : advance,
    isDelayed: delayed.length > 0,
  };
}

/**
 * Open firings that this decision does not end, although an unsent interrupt that an overlap policy may have wanted
 * would end them. An overlap policy never ends a chain later than now or the start of its workflow.
 */
function sparedOf(open: OpenFiring[], ended: OpenFiring[], now: number): OpenFiring[] {
  return open.filter((firing) => {
    const { state, interrupt, interruptAt, interruptedAt, startsAt } = firing;
    if (interrupt === null || interruptedAt !== null || ended.includes(firing)) return false;
    return state === 'claimed' || interruptAt!.getTime() <= Math.max(now, startsAt?.getTime() ?? 0);
  });
}
