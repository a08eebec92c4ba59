import type { OccurrencePlan } from '../../core/decisions/catchup';
import type { OverlapCandidate, OverlapOutcome } from '../../core/decisions/overlap';
import { UnknownDefinitionError } from '../../core/definition/stored-definition';
import type { FiringKey, FiringKind } from '../../core/firing';
import { OVERLAP_POLICIES, type OverlapPolicy } from '../../core/schedule/policies';
import type { OpenFiring, ReplacedTimes } from '../../store/firings/open-firings';
import type { DueTimer } from '../../store/schedules/due';
import type { CompiledDefinition } from '../definitions';

/** A firing about which overlap is decided: an occurrence that was planned just now, or a buffered firing. */
export interface Candidate extends FiringKey {
  kind: FiringKind;
  /** The overlap policy that was requested for this firing; null if the schedule's applies. */
  overlap: OverlapPolicy | null;
  /** Since when the firing is buffered, in epoch milliseconds; undefined if it has no row yet. */
  waitingSince: number | undefined;
  /** Whether a freeze that has ended lets a planned occurrence start, however old it is. @default false */
  thawed?: boolean | undefined;
}

export type Stopped = FiringKey & { state: 'skipped'; reason: string };

export function fromWaiting({ scheduleId, scheduledTime, kind, overlap, claimedAt }: OpenFiring): Candidate {
  return { scheduleId, scheduledTime, kind, overlap, waitingSince: claimedAt.getTime() };
}

export function fromPlan({ scheduleId }: DueTimer, firing: OccurrencePlan['firings'][number]): Candidate {
  const { kind, thawed } = firing;
  const scheduledTime = new Date(firing.scheduledTime);
  return { scheduleId, scheduledTime, kind, overlap: null, waitingSince: undefined, thawed };
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

/**
 * How long a firing is left alone if this version does not know its overlap policy or a value of its schedule. During
 * this pause a newer trigger, which knows the value, can take the schedule and decide.
 */
const LEFT_MILLISECONDS = 60_000;

/**
 * Split the buffered firings into three groups: those that may continue, those that a pause, a deletion or the end of
 * the schedule has stopped, and those that stay as they are until an instant. Of the last group only the instants are
 * returned, in epoch milliseconds. A firing stays as it is for one of two reasons. It may be an occurrence that an
 * update of the schedule has left, and whose jitter is not over yet. Or this program does not know the firing's policy,
 * but another trigger may know it: no workflow may be ended by an unknown policy or its placeholder. `hasUnknown` says
 * whether there is a firing of the latter kind.
 */
export function sortOut(
  timer: DueTimer,
  { unreadable }: Pick<CompiledDefinition, 'unreadable'>,
  waiting: OpenFiring[],
  now: number,
): { going: OpenFiring[]; stopped: Stopped[]; leftUntil: number[]; hasUnknown: boolean } {
  const going: OpenFiring[] = [];
  const stopped: Stopped[] = [];
  const leftUntil: number[] = [];
  let hasUnknown = false;
  // A sleeping schedule is decided even if its definition is unknown, since a person may have asked for a firing.
  const isUnknown = unreadable instanceof UnknownDefinitionError;
  for (const firing of waiting) {
    const reason = stopReason(timer, firing);
    if (reason !== undefined) stopped.push(skipped(firing, reason));
    else if (isOfSpec(firing) && firing.readyAt !== null && +firing.readyAt > now) leftUntil.push(+firing.readyAt);
    else if (isUnknown || hasUnknownPolicy(firing)) {
      hasUnknown = true;
      leftUntil.push(now + LEFT_MILLISECONDS);
    } else going.push(firing);
  }
  return { going, stopped, leftUntil, hasUnknown };
}

function hasUnknownPolicy({ overlap }: OpenFiring): boolean {
  return overlap !== null && !OVERLAP_POLICIES.includes(overlap);
}

/** Whether a pause or the end of the schedule makes a decision skip all buffered firings of the spec. */
export function skipsWaiting({ paused, remainingActions }: DueTimer): boolean {
  return paused || remainingActions === 0;
}

/**
 * The range of nominal times in which planned firings may replace buffered ones: from `from`, inclusive, to `before`,
 * exclusive. Undefined if no planned firing replaces others.
 */
export function replacedTimes({ firings }: OccurrencePlan): ReplacedTimes | undefined {
  const from = firings.flatMap(({ replacesFrom }) => replacesFrom ?? []);
  const before = firings.flatMap(({ replacesFrom, scheduledTime }) =>
    replacesFrom === undefined ? [] : scheduledTime,
  );
  return from.length === 0 ? undefined : { from: new Date(Math.min(...from)), before: new Date(Math.max(...before)) };
}

/** Why a buffered firing stops. Neither a pause nor the end of the schedule stops a firing that a person asked for. */
function stopReason(timer: DueTimer, firing: OpenFiring): string | undefined {
  // If a schedule was deleted and its name was used again before any trigger polled, the deletion still stops the
  // firings that were buffered for the former schedule.
  if (timer.deleted || firing.claimedAt < timer.createdAt) return 'schedule_deleted';
  if (!isOfSpec(firing)) return undefined;
  // A pause that ended before any trigger polled still stops the firings that were buffered before its end.
  if (timer.paused || (timer.unpausedAt !== null && firing.claimedAt < timer.unpausedAt)) return 'paused';
  return timer.remainingActions === 0 ? 'completed' : undefined;
}

/**
 * Take out the buffered firings that a planned one replaces. A former definition of the schedule has left such a
 * firing, and a freeze has held it.
 */
export function withoutReplaced(
  waiting: OpenFiring[],
  planned: OccurrencePlan['firings'],
): { going: OpenFiring[]; stopped: Stopped[] } {
  const isReplaced = (firing: OpenFiring) =>
    isOfSpec(firing) &&
    planned.some(
      ({ scheduledTime, replacesFrom }) =>
        replacesFrom !== undefined && +firing.scheduledTime >= replacesFrom && +firing.scheduledTime < scheduledTime,
    );
  return {
    going: waiting.filter((firing) => !isReplaced(firing)),
    stopped: waiting.filter(isReplaced).map((firing) => skipped(firing, 'superseded')),
  };
}

/**
 * Whether a firing comes from the spec, on time or by catch-up, and not from a request. Only firings of the spec use up
 * `remainingActions`.
 */
export function isOfSpec({ kind }: { kind: FiringKind }): boolean {
  return kind === 'schedule' || kind === 'catchup';
}

/**
 * The candidates up to the one that uses the last remaining action, and all firings that a person asked for, with the
 * overlap decision on each.
 */
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
  // Without the dropped candidates, a candidate that they would have replaced may fire after all, and use an action
  // too.
  const within = withinRemaining(timer, candidates.filter(isKept), overlap);
  return { ...within, dropped: [...within.dropped, ...dropped] };
}

/**
 * The instant since which a firing has waited for cancelled chains to end. This is when Temporal accepted the last
 * interrupt of an open firing, or now if it has accepted none since the firing began to wait.
 */
export function cancelledAt({ now, open }: { now: number; open: OpenFiring[] }, waitingSince: number): number {
  const last = open.reduce((latest, { interruptedAt }) => Math.max(latest, interruptedAt?.getTime() ?? 0), 0);
  return last >= waitingSince ? last : now;
}

export function policyIn(
  { policies }: CompiledDefinition,
  at: { now: number; open: OpenFiring[]; cancelWaitMilliseconds: number },
) {
  return ({ overlap, waitingSince }: Candidate): OverlapCandidate => {
    const policy = overlap ?? policies.overlap;
    const waitedEnough =
      policy === 'CANCEL_OTHER' &&
      waitingSince !== undefined &&
      at.now >= cancelledAt(at, waitingSince) + at.cancelWaitMilliseconds;
    return { policy, waitingSince, waitedEnough };
  };
}
