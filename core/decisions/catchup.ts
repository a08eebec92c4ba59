import { DEFAULTS } from '../defaults';
import type { FiringKind } from '../firing';
import { type CompiledSpec, foundOne, withinSteps } from '../occurrences';

/** Up to this many of the most recent occurrences are enumerated one by one. */
const WALKED_AT_MOST = 1_000;

/** Why occurrences did not fire. */
export type GapReason =
  | 'outside_catchup_window'
  | 'outside_retention'
  | 'over_catchup_limit'
  | 'paused'
  | 'frozen'
  | 'completed'
  | 'deleted'
  | 'native';

/** A range of occurrences that did not fire. Both ends are nominal times in epoch milliseconds. */
export interface Gap {
  /** The first occurrence. */
  from: number;
  /** The last occurrence. */
  to: number;
  /** How many occurrences. */
  count: number;
  /** Why they did not fire. */
  reason: GapReason;
  /** For the reason `frozen`: the freeze that held them. */
  freezeId?: string;
}

/** An occurrence that will become a firing. */
export interface PlannedFiring {
  /** Nominal time, epoch milliseconds. */
  scheduledTime: number;
  kind: Extract<FiringKind, 'schedule' | 'catchup'>;
}

/** The answers that a plan gives for one schedule. */
export interface OccurrencePlan {
  /** Oldest first. */
  firings: PlannedFiring[];
  gaps: Gap[];
  /** Every occurrence up to this instant is answered by the plan. */
  answeredTo: number;
  /** The first occurrence without an answer; undefined if the spec has ended. */
  nextFireAt: number | undefined;
  /**
   * When to plan again: usually the start of `nextFireAt`. If the plan was cut and that start was missed, it is an
   * instant just outside the on-time limit. Then occurrences that become due now come first, and so do other missed
   * schedules that have not had their turn.
   */
  wakeAt: number | undefined;
  /** Whether more is due than the plan contains. */
  isCut: boolean;
  /**
   * Whether the schedule is paused or exhausted. Such a schedule has no next time, although its spec has not ended.
   * @default false
   */
  isAsleep?: boolean;
}

/** The range of time to settle, and the policy for it. */
export interface PlanInput {
  /** Exclusive. */
  answeredTo: number;
  now: number;
  catchupWindowMilliseconds: number;
  catchupLimit: number;
  /** Maximum number of firings in the plan, to bound the work of one pass. */
  firingsAtMost: number;
  /** End of the retired months, before which no firing may lie. Epoch milliseconds. @default no bound */
  notBefore?: number | undefined;
}

/** The gap over the occurrences in `(after, through]`; undefined when there is none. */
export function gapOver(spec: CompiledSpec, after: number, through: number, reason: GapReason): Gap | undefined {
  const count = through > after ? spec.count(after, through) : 0;
  if (count === 0) return undefined;
  return { from: spec.next(after)!, to: spec.previous(through + 1)!, count, reason };
}

/** The parts of a gap that remain around occurrences that did fire, oldest first. */
export function gapsAround(spec: CompiledSpec, gap: Gap, fired: number[]): Gap[] {
  const ends = [...fired.map((time) => time - 1), gap.to];
  const begins = [gap.from - 1, ...fired];
  return ends.flatMap((through, index) => gapOver(spec, begins[index]!, through, gap.reason) ?? []);
}

/**
 * Settle every occurrence that is due. Occurrences at most 10 seconds late are on time, and fire. A missed occurrence
 * fires if it lies in the catch-up window, is not in a retired month, and is among the most recent `catchupLimit`, in
 * which on-time occurrences also count. All others become gaps.
 *
 * @throws {InvalidScheduleError} if the spec takes too long to evaluate
 */
export function planOccurrences(spec: CompiledSpec, input: PlanInput): OccurrencePlan {
  return withinSteps('spec', () => plan(spec, input));
}

function plan(spec: CompiledSpec, input: PlanInput): OccurrencePlan {
  const { answeredTo, now } = input;
  const onTimeFrom = Math.max(answeredTo, startedBefore(spec, now - DEFAULTS.onTimeMilliseconds));
  const windowFrom = Math.max(
    answeredTo,
    Math.min(onTimeFrom, startedBefore(spec, now - input.catchupWindowMilliseconds)),
  );
  const dueThrough = Math.max(onTimeFrom, startedBefore(spec, now + 1));
  const retainedFrom = Math.max(windowFrom, Math.min(dueThrough, (input.notBefore ?? Number.NEGATIVE_INFINITY) - 1));
  const missedThrough = Math.max(retainedFrom, onTimeFrom);
  const onTime = spec.count(missedThrough, dueThrough);
  const limitFrom = mostRecent(spec, retainedFrom, missedThrough, Math.max(0, input.catchupLimit - onTime));

  const gaps = [
    gapOver(spec, answeredTo, windowFrom, 'outside_catchup_window'),
    gapOver(spec, windowFrom, retainedFrom, 'outside_retention'),
    gapOver(spec, retainedFrom, limitFrom, 'over_catchup_limit'),
  ].filter((gap) => gap !== undefined);

  const firings: PlannedFiring[] = [];
  let occurrence = spec.next(limitFrom);
  while (occurrence !== undefined && spec.startTime(occurrence) <= now && firings.length < input.firingsAtMost) {
    firings.push({ scheduledTime: occurrence, kind: occurrence > onTimeFrom ? 'schedule' : 'catchup' });
    foundOne();
    occurrence = spec.next(occurrence);
  }

  const next = occurrence === undefined ? undefined : spec.startTime(occurrence);
  return {
    firings,
    gaps,
    // Never move back. Another trigger, or a change made with a slower clock, may have answered beyond our current
    // time.
    answeredTo: Math.max(answeredTo, occurrence === undefined ? now : Math.min(now, occurrence - 1)),
    nextFireAt: occurrence,
    wakeAt: next === undefined ? undefined : wakeAfterCut(next, now),
    isCut: next !== undefined && next <= now,
  };
}

/** When to plan again for an occurrence that starts at `next`: see {@link OccurrencePlan.wakeAt}. */
export function wakeAfterCut(next: number, now: number): number {
  return Math.max(next, now - DEFAULTS.onTimeMilliseconds - 1);
}

/**
 * The instant up to which every occurrence should have started before `limit`. Lateness counts from the jittered start.
 * The jittered start is before the next occurrence, so at most the last occurrence may still be waiting.
 */
export function startedBefore(spec: CompiledSpec, limit: number): number {
  const last = spec.previous(limit);
  return last !== undefined && spec.startTime(last) >= limit ? last - 1 : limit - 1;
}

/** The instant after which only the most recent `limit` occurrences of `(after, through]` lie. */
function mostRecent(spec: CompiledSpec, after: number, through: number, limit: number): number {
  if (limit === 0) return through;
  if (spec.count(after, through) <= limit) return after;
  if (limit > WALKED_AT_MOST) return halved(after, through, (instant) => spec.count(instant, through) <= limit);
  let oldest = through + 1;
  for (let taken = 0; taken < limit; taken++) {
    oldest = spec.previous(oldest)!;
    foundOne();
  }
  return oldest - 1;
}

/** The first instant at which `holds` is true. `holds` is true at `high`, and false at `low`. */
function halved(low: number, high: number, holds: (instant: number) => boolean): number {
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}
