import type { EffectivePolicies } from '../definition/definition';
import { type CompiledSpec, withinSteps } from '../occurrences';
import type { OccurrencePlan } from './catchup';

/** Occurrences that start at about the same instant, between `at` and `until`; epoch milliseconds. */
export interface Upcoming {
  at: number;
  until: number;
  count: number;
  /** Whether they belong to schedules that may be handed over earlier than the trigger's limit, and start beyond it. */
  isAsked: boolean;
}

/** The rate of starts, and how far ahead a burst may begin. */
export interface LookaheadLimits {
  now: number;
  /** Number of starts that are already waiting. */
  waiting: number;
  /**
   * Starts per second at full load, as measured: for due firings, while workers run them, and for firings that are
   * handed over.
   */
  startsPerSecond: { due: number; ahead: number };
  /** A burst that takes less time than this to start is started when it is due. */
  preStartAfterMilliseconds: number;
  /** How far ahead a firing may be handed over, for schedules without their own setting. */
  preStartCapMilliseconds: number;
}

/** The measured rate may fall, so begin earlier by this factor. */
const MARGIN = 1.5;
/** Time for the poll itself, the claims and their first batch. */
const SHORTEST_MILLISECONDS = 1_000;

/**
 * Up to which instant firings should be handed over ahead. The result is the last instant for which starting all
 * firings until then takes the whole remaining time. Undefined if all of them can be started on time when they are due.
 *
 * @param upcoming ordered by time
 */
export function lookaheadOf(upcoming: Upcoming[], limits: LookaheadLimits): number | undefined {
  let horizon: number | undefined;
  let starts = limits.waiting;
  for (const { at, until, count, isAsked } of upcoming) {
    const left = at - limits.now;
    if (left > limits.preStartCapMilliseconds && !isAsked) continue;
    starts += count;
    const tooLong = starts / limits.startsPerSecond.due > limits.preStartAfterMilliseconds / 1_000;
    const needed = SHORTEST_MILLISECONDS + (starts / limits.startsPerSecond.ahead) * 1_000 * MARGIN;
    if (tooLong && needed >= left) horizon = until;
  }
  return horizon;
}

/** How far ahead a schedule may be handed over, in milliseconds. A limit of 0 hands nothing over. */
export function reachOf({ preStart }: Pick<EffectivePolicies, 'preStart'>, capMilliseconds: number): number {
  if (preStart === false || capMilliseconds === 0) return 0;
  return preStart === true ? capMilliseconds : preStart;
}

/**
 * A plan for only the next occurrence of a schedule that owes no earlier answers; undefined if it does not start in
 * `(now, until]`.
 */
export function planAhead(
  spec: CompiledSpec,
  { answeredTo, now, until }: { answeredTo: number; now: number; until: number },
): { plan: OccurrencePlan; startsAt: Date } | undefined {
  return withinSteps('spec', () => planNext(spec, { answeredTo, now, until }));
}

function planNext(
  spec: CompiledSpec,
  { answeredTo, now, until }: { answeredTo: number; now: number; until: number },
): { plan: OccurrencePlan; startsAt: Date } | undefined {
  const scheduledTime = spec.next(answeredTo);
  if (scheduledTime === undefined) return undefined;
  const startsAt = spec.startTime(scheduledTime);
  if (startsAt <= now || startsAt > until) return undefined;
  const following = spec.next(scheduledTime);
  const plan: OccurrencePlan = {
    firings: [{ scheduledTime, kind: 'schedule' }],
    gaps: [],
    answeredTo: scheduledTime,
    nextFireAt: following,
    wakeAt: following === undefined ? undefined : spec.startTime(following),
    isCut: false,
  };
  return { plan, startsAt: new Date(startsAt) };
}
