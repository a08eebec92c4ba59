import { DEFAULTS } from '../defaults';
import type { FiringKind } from '../firing';
import { type CompiledSpec, foundOne, withinSteps } from '../occurrences';

/** More of the most recent occurrences than this are not walked to one by one. */
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

/** A stretch of occurrences that did not fire; both ends are nominal times, epoch milliseconds. */
export interface Gap {
  /** The first occurrence. */
  from: number;
  /** The last occurrence. */
  to: number;
  /** How many occurrences. */
  count: number;
  /** Why they did not fire. */
  reason: GapReason;
  /** The freeze that held them, of the reason `frozen`. */
  freezeId?: string;
}

/** An occurrence that is to become a firing. */
export interface PlannedFiring {
  /** Nominal time, epoch milliseconds. */
  scheduledTime: number;
  kind: Extract<FiringKind, 'schedule' | 'catchup'>;
}

/** What a plan of one schedule settles. */
export interface OccurrencePlan {
  /** Oldest first. */
  firings: PlannedFiring[];
  gaps: Gap[];
  /** Every occurrence up to here has its answer by this plan. */
  answeredTo: number;
  /** The first occurrence without an answer; undefined when the spec ends. */
  nextFireAt: number | undefined;
  /**
   * When to plan again: the start of `nextFireAt`. Where the plan was cut and that start has been missed, it is a time
   * just longer ago than counts as on time. So what comes due now goes before it, and so do schedules that were missed
   * and have not had their turn.
   */
  wakeAt: number | undefined;
  /** Whether more of it is due than the plan took. */
  isCut: boolean;
  /** Whether the schedule sleeps. Then it has no next time, and that does not mean that its spec has ended. @default false */
  isAsleep?: boolean;
}

/** The stretch to settle and the policy that settles it. */
export interface PlanInput {
  /** Exclusive. */
  answeredTo: number;
  now: number;
  catchupWindowMilliseconds: number;
  catchupLimit: number;
  /** Firings to plan at most, so that one pass stays bounded. */
  firingsAtMost: number;
  /** Where retired months end: no firing may lie before. Epoch milliseconds. @default no bound */
  notBefore?: number | undefined;
}

/** The gap over the occurrences in `(after, through]`; undefined when there is none. */
export function gapOver(spec: CompiledSpec, after: number, through: number, reason: GapReason): Gap | undefined {
  const count = through > after ? spec.count(after, through) : 0;
  if (count === 0) return undefined;
  return { from: spec.next(after)!, to: spec.previous(through + 1)!, count, reason };
}

/** What is left of a gap around occurrences in it that did fire, oldest first. */
export function gapsAround(spec: CompiledSpec, gap: Gap, fired: number[]): Gap[] {
  const ends = [...fired.map((time) => time - 1), gap.to];
  const begins = [gap.from - 1, ...fired];
  return ends.flatMap((through, index) => gapOver(spec, begins[index]!, through, gap.reason) ?? []);
}

/**
 * Settle every occurrence that is due. What is not more than 10 seconds late is on time and fires. What was missed
 * fires if it lies in the catch-up window, in no retired month and, counted with what is on time, among the most recent
 * `catchupLimit`. The rest becomes gaps.
 *
 * @throws {InvalidScheduleError} where the spec takes too long to evaluate
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
    // Never backwards: another trigger, or a change under a clock ahead of ours, may have answered beyond our now.
    answeredTo: Math.max(answeredTo, occurrence === undefined ? now : Math.min(now, occurrence - 1)),
    nextFireAt: occurrence,
    wakeAt: next === undefined ? undefined : wakeAfterCut(next, now),
    isCut: next !== undefined && next <= now,
  };
}

/** When to plan again for an occurrence that is to start at `next`: see {@link OccurrencePlan.wakeAt}. */
export function wakeAfterCut(next: number, now: number): number {
  return Math.max(next, now - DEFAULTS.onTimeMilliseconds - 1);
}

/**
 * The instant through which every occurrence was to start before `limit`. Lateness counts from the jittered start; it
 * lies before the next occurrence, so that at most the last one is still to come.
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

/** The first instant for which `holds`; it does for `high`, and not for `low`. */
function halved(low: number, high: number, holds: (instant: number) => boolean): number {
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}
