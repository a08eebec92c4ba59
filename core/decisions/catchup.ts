import { DEFAULTS } from '../defaults';
import { InvalidScheduleError } from '../errors';
import type { FiringKind } from '../firing';
import { type CompiledSpec, foundOne, withinSteps, withOwnSteps } from '../occurrences';
import { withoutTimes } from '../occurrences/masked';

/** If more missed occurrences than this may fire, the oldest of them is found by bisection instead of one by one. */
const WALKED_AT_MOST = 1_000;

const PIECES_AT_MOST = 64;

/** The reason why the occurrences in a gap did not fire. */
export type GapReason = (typeof GAP_REASONS)[number];
export const GAP_REASONS = [
  'outside_catchup_window',
  'outside_retention',
  'over_catchup_limit',
  'paused',
  'frozen',
  'completed',
  'deleted',
  'set_aside',
  'native',
] as const;

/** A range of occurrences that did not fire. Both ends are nominal times in epoch milliseconds. */
export interface Gap {
  /** The nominal time of the first occurrence. */
  from: number;
  /** The nominal time of the last occurrence. */
  to: number;
  /** The number of occurrences in the gap. */
  count: number;
  /** Why the occurrences did not fire. */
  reason: GapReason;
  /** For the reason `frozen`: the ID of the freeze that held the occurrences back. */
  freezeId?: string;
}

/**
 * The gap of a schedule in shadow. Temporal's own schedule answers what is left out here, and no freeze holds it. A
 * pause counts on both sides.
 */
export function inShadow({ freezeId, ...gap }: Gap): Gap {
  const isOnBothSides = gap.reason === 'paused' || gap.reason === 'completed';
  return isOnBothSides ? gap : { ...gap, reason: 'native' };
}

export interface PlannedFiring {
  /** The nominal time, in epoch milliseconds. */
  scheduledTime: number;
  kind: Extract<FiringKind, 'schedule' | 'catchup'>;
  /**
   * Set if a freeze lets only its last held occurrence fire. This firing then replaces earlier buffered firings that
   * the freeze held and that former definitions of the schedule left. `replacesFrom` is the earliest nominal time that
   * may be replaced.
   *
   * @default no firing is replaced
   */
  replacesFrom?: number;
  /** Whether a freeze has held the occurrence back and now lets it fire, however old it is. @default false */
  thawed?: boolean;
}

export interface OccurrencePlan {
  /** Oldest first. */
  firings: PlannedFiring[];
  gaps: Gap[];
  /** The plan answers every occurrence up to this instant. */
  answeredTo: number;
  /** The first occurrence that the plan neither answers nor leaves to a freeze; undefined if none is known. */
  nextFireAt: number | undefined;
  /**
   * When the schedule is planned again: usually the start time of `nextFireAt`. After a cut plan, `wakeAt` lies at most
   * just over ten seconds in the past, so that a long backlog of one schedule does not delay the schedules that became
   * due since.
   */
  wakeAt: number | undefined;
  /** Whether more occurrences are due than the plan contains. */
  isCut: boolean;
  /**
   * Whether the schedule is paused, frozen, deleted, set aside or without actions left. The plan of such a schedule may
   * have no `nextFireAt` although its spec has further occurrences.
   * @default false
   */
  isAsleep?: boolean;
}

export interface PlanInput {
  /** Occurrences up to and including this instant are already answered. */
  answeredTo: number;
  now: number;
  catchupWindowMilliseconds: number;
  catchupLimit: number;
  firingsAtMost: number;
  /** The end of the retired months: no firing may lie before it. Epoch milliseconds. @default no bound */
  notBefore?: number | undefined;
  /**
   * Nominal times of excluded occurrences. They already have a row, so they do not fire even if the plan contains them.
   * If only some occurrences may fire, the excluded ones are never chosen.
   *
   * @default none
   */
  excluded?: readonly number[] | undefined;
}

/** The gap that contains the occurrences in `(after, through]`; undefined when there are none. */
export function gapOver(spec: CompiledSpec, after: number, through: number, reason: GapReason): Gap | undefined {
  const count = through > after ? spec.count(after, through) : 0;
  if (count === 0) return undefined;
  return { from: spec.next(after)!, to: spec.previous(through + 1)!, count, reason };
}

/**
 * As {@link gapOver}, but if counting takes too long, in pieces with a budget of steps each. This may take seconds: it
 * is for what a person changes, not for a trigger's plan.
 *
 * @throws {InvalidScheduleError} if even a 64th takes too long
 */
export function wholeGap(spec: CompiledSpec, after: number, through: number, reason: GapReason): Gap | undefined {
  const shortest = (through - after) / PIECES_AT_MOST;
  let piece = through - after;
  let gap: Gap | undefined;
  for (let from = after; from < through; ) {
    const to = Math.min(from + piece, through);
    try {
      const part = withOwnSteps('spec', () => gapOver(spec, from, to, reason));
      gap = gap && part ? { ...part, from: gap.from, count: gap.count + part.count } : (part ?? gap);
      from = to;
    } catch (error) {
      if (!(error instanceof InvalidScheduleError) || piece <= shortest) throw error;
      piece = Math.ceil(piece / 2);
    }
  }
  return gap;
}

/** The parts of a gap that remain if some of its occurrences did fire, oldest first. */
export function gapsAround(spec: CompiledSpec, gap: Gap, fired: number[]): Gap[] {
  const ends = [...fired.map((time) => time - 1), gap.to];
  const begins = [gap.from - 1, ...fired];
  return ends.flatMap((through, index) => {
    const part = gapOver(spec, begins[index]!, through, gap.reason);
    return part ? [{ ...gap, ...part }] : [];
  });
}

/**
 * Decides what happens to the due occurrences, until the plan has `firingsAtMost` firings. Occurrences at most 10
 * seconds late are on time, and fire. A missed occurrence fires if it lies in the catch-up window and is among the most
 * recent `catchupLimit`, in which on-time occurrences also count. None fires in a retired month. The other due
 * occurrences that the plan reaches become gaps.
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
  const fires = withoutTimes(spec, input.excluded ?? []);
  const onTime = fires.count(missedThrough, dueThrough);
  const limitFrom = mostRecent(fires, retainedFrom, missedThrough, Math.max(0, input.catchupLimit - onTime));

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
    // `answeredTo` never moves back. Another trigger may have answered occurrences beyond this host's current time, and
    // so may a change that was made with another clock.
    answeredTo: Math.max(answeredTo, occurrence === undefined ? now : Math.min(now, occurrence - 1)),
    nextFireAt: occurrence,
    wakeAt: next === undefined ? undefined : wakeAfterCut(next, now),
    isCut: next !== undefined && next <= now,
  };
}

export function wakeAfterCut(next: number, now: number): number {
  return Math.max(next, now - DEFAULTS.onTimeMilliseconds - 1);
}

/**
 * The last instant before `limit` up to which every occurrence starts before `limit`, jitter included. Jitter never
 * moves a start to the next nominal time, so only the last occurrence may start at `limit` or later.
 */
export function startedBefore(spec: CompiledSpec, limit: number): number {
  const last = spec.previous(limit);
  return last !== undefined && spec.startTime(last) >= limit ? last - 1 : limit - 1;
}

/** The instant after which only the most recent `limit` occurrences of `(after, through]` lie. */
function mostRecent(spec: CompiledSpec, after: number, through: number, limit: number): number {
  if (limit === 0) return through;
  if (limit === Number.POSITIVE_INFINITY || spec.count(after, through) <= limit) return after;
  if (limit > WALKED_AT_MOST) return halved(after, through, (instant) => spec.count(instant, through) <= limit);
  let oldest = through + 1;
  for (let taken = 0; taken < limit; taken++) {
    oldest = spec.previous(oldest)!;
    foundOne();
  }
  return oldest - 1;
}

/** Finds by bisection the first instant at which `holds` is true. `holds` must be true at `high` and false at `low`. */
function halved(low: number, high: number, holds: (instant: number) => boolean): number {
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}
