import type { OverlapOutcome } from '../../core/decisions/overlap';
import type { TimerAdvance } from '../../store/firings/claim';
import { type Candidate, cancelledAt, isOfSpec, isWaiting } from './candidates';
import type { Circumstances } from './circumstances';
import type { DuePlan, Released } from './due-plan';

interface Settlement {
  kept: Candidate[];
  /** Candidates of the spec that come after the candidate that uses the last remaining action. */
  dropped: Candidate[];
  /**
   * If the tenant's quota does not allow a candidate yet: that candidate, all after it, and those beyond the last
   * remaining action, so that `dropped` is empty. Otherwise none.
   */
  delayed: Candidate[];
  outcome: OverlapOutcome;
  released: Released[];
  /** The instants until which some buffered firings stay as they are, in epoch milliseconds. */
  leftUntil: number[];
}

export function advanceOf({ timer, plan }: DuePlan, settlement: Settlement, at: Circumstances): TimerAdvance {
  const { kept, dropped, delayed, outcome, leftUntil } = settlement;
  const actions = kept.filter((candidate, index) => isOfSpec(candidate) && outcome.decisions[index] === 'claim').length;
  const completed = timer.remainingActions !== null && timer.remainingActions <= actions;
  const cut = [...delayed, ...dropped].find((candidate) => !isWaiting(candidate));
  const wakeAt = earliest(wakeForNext(plan, completed, delayed, at), wakeForWaiting(settlement, at), ...leftUntil);
  return {
    scheduleId: timer.scheduleId,
    wakeAt: dateOf(wakeAt),
    nextFireAt: dateOf(completed ? undefined : nextOf(plan, delayed)),
    lastFireAt: kept.findLast((candidate) => !isWaiting(candidate))?.scheduledTime ?? null,
    // Delayed candidates are not answered yet. Dropped ones are not answered either: times after the last action are no
    // occurrences, unless the schedule is given more actions.
    answeredTo: cut ? new Date(cut.scheduledTime.getTime() - 1) : new Date(plan.answeredTo),
    actions,
    completed: completed || (cut === undefined && plan.nextFireAt === undefined && !plan.isAsleep),
  };
}

function wakeForNext(
  { wakeAt }: DuePlan['plan'],
  completed: boolean,
  delayed: Candidate[],
  { quota }: Circumstances,
): number | undefined {
  // A completed schedule wakes only for buffered firings, such as those that a person asked for.
  if (delayed.some((candidate) => !completed || isWaiting(candidate))) return quota!.until.getTime();
  return completed ? undefined : wakeAt;
}

function nextOf({ nextFireAt }: DuePlan['plan'], delayed: Candidate[]): number | undefined {
  return delayed.find((candidate) => !isWaiting(candidate))?.scheduledTime.getTime() ?? nextFireAt;
}

function wakeForWaiting({ kept, outcome, released }: Settlement, at: Circumstances): number | undefined {
  const waiting = kept.filter((_, index) => outcome.decisions[index] === 'wait');
  const more = at.open.filter((firing) => firing.state === 'buffered').length >= at.waitingAtMost;
  if (more && released.length > 0) return at.now;
  // Firings that this decision claims block other firings too, but can be interrupted only once they are in the ledger.
  const holding = at.open.filter((firing) => firing.state !== 'buffered' && firing.holds).length;
  if (outcome.interrupt && outcome.interrupt.count > holding) return at.now;
  // Only the wait for a cancelled chain has a time limit.
  if (outcome.interrupt?.kind !== 'cancel') return undefined;
  return earliest(
    ...waiting.map(({ waitingSince = at.now }) => cancelledAt(at, waitingSince) + at.cancelWaitMilliseconds),
  );
}

export function earliest(...instants: (number | undefined)[]): number | undefined {
  const known = instants.filter((instant) => instant !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

function dateOf(instant: number | undefined): Date | null {
  return instant === undefined ? null : new Date(instant);
}
