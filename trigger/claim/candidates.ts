import type { OccurrencePlan } from '../../core/decisions/catchup';
import type { OverlapCandidate, OverlapOutcome } from '../../core/decisions/overlap';
import type { FiringKey, FiringKind } from '../../core/firing';
import type { OverlapPolicy } from '../../core/schedule';
import type { OpenFiring } from '../../store/firings/open-firings';
import type { DueTimer } from '../../store/schedules/due';
import type { CompiledDefinition } from '../definitions';

/** A firing whose turn it may be: planned just now, or waiting in the ledger. */
export interface Candidate extends FiringKey {
  kind: FiringKind;
  /** Its own policy, where the schedule's does not hold. */
  overlap: OverlapPolicy | null;
  /** Since when it waits, epoch milliseconds; undefined for one that has no row yet. */
  waitingSince: number | undefined;
}

/** A firing that waited and never will fire. */
export type Stopped = FiringKey & { state: 'skipped'; reason: string };

export function fromWaiting({ scheduleId, scheduledTime, kind, overlap, claimedAt }: OpenFiring): Candidate {
  return { scheduleId, scheduledTime, kind, overlap, waitingSince: claimedAt.getTime() };
}

export function fromPlan({ scheduleId }: DueTimer, firing: OccurrencePlan['firings'][number]): Candidate {
  const { kind, scheduledTime } = firing;
  return { scheduleId, scheduledTime: new Date(scheduledTime), kind, overlap: null, waitingSince: undefined };
}

export function isWaiting(candidate: Candidate): boolean {
  return candidate.waitingSince !== undefined;
}

export function keyOf({ scheduleId, scheduledTime }: FiringKey): FiringKey {
  return { scheduleId, scheduledTime };
}

export function skipped(firing: FiringKey, reason: string): Stopped {
  return { ...keyOf(firing), state: 'skipped', reason };
}

/** Of what waits: what may go on, and what a pause, a deletion or the end of the schedule has stopped meanwhile. */
export function sortOut(timer: DueTimer, waiting: OpenFiring[]): { going: OpenFiring[]; stopped: Stopped[] } {
  const going: OpenFiring[] = [];
  const stopped: Stopped[] = [];
  for (const firing of waiting) {
    const reason = stopReason(timer, firing);
    if (reason === undefined) going.push(firing);
    else stopped.push(skipped(firing, reason));
  }
  return { going, stopped };
}

/** What a person asked for goes on, on a paused or completed schedule too. */
function stopReason(timer: DueTimer, firing: OpenFiring): string | undefined {
  // A deletion stops what waits also where the name was used again before any trigger polled.
  if (timer.deleted || firing.claimedAt < timer.createdAt) return 'schedule_deleted';
  if (!isOfSpec(firing)) return undefined;
  if (timer.paused) return 'paused';
  return timer.remainingActions === 0 ? 'completed' : undefined;
}

/** Whether a firing counts among `remainingActions`: those that the spec made, not those that a person asked for. */
export function isOfSpec({ kind }: { kind: FiringKind }): boolean {
  return kind === 'schedule' || kind === 'catchup';
}

/** The candidates up to the one that takes the last of the remaining actions, and what a person asked for; their overlap. */
export function withinRemaining(
  timer: DueTimer,
  candidates: Candidate[],
  overlap: (candidates: Candidate[]) => OverlapOutcome,
): { kept: Candidate[]; dropped: Candidate[]; outcome: OverlapOutcome } {
  const outcome = overlap(candidates);
  const all = { kept: candidates, dropped: [], outcome };
  if (timer.remainingActions === null) return all;
  let left = timer.remainingActions;
  const last = candidates.findIndex(
    (candidate, index) => isOfSpec(candidate) && outcome.decisions[index] === 'claim' && --left === 0,
  );
  const isKept = (candidate: Candidate, index: number) => index <= last || !isOfSpec(candidate);
  const dropped = candidates.filter((candidate, index) => !isKept(candidate, index));
  if (last === -1 || dropped.length === 0) return all;
  // Without those that are dropped, one that they replaced may fire after all, and take an action too.
  const within = withinRemaining(timer, candidates.filter(isKept), overlap);
  return { ...within, dropped: [...within.dropped, ...dropped] };
}

/**
 * From when the wait for cancelled chains to end counts: from when Temporal took the last cancel, since until then nothing
 * was asked of them; now where that is still to come.
 */
export function cancelledAt({ now, open }: { now: number; open: OpenFiring[] }): number {
  const last = open.reduce((latest, { interruptedAt }) => Math.max(latest, interruptedAt?.getTime() ?? 0), 0);
  return last || now;
}

/** Each candidate under the policy that holds for it. */
export function policyIn(
  { policies }: CompiledDefinition,
  at: { now: number; open: OpenFiring[]; cancelWaitMilliseconds: number },
) {
  const waitsFrom = cancelledAt(at);
  return ({ overlap, waitingSince }: Candidate): OverlapCandidate => {
    const policy = overlap ?? policies.overlap;
    const waitedEnough =
      policy === 'CANCEL_OTHER' &&
      waitingSince !== undefined &&
      at.now >= Math.max(waitingSince, waitsFrom) + at.cancelWaitMilliseconds;
    return { policy, waitingSince, waitedEnough };
  };
}
