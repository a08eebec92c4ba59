import type { EffectivePolicies } from '../definition/definition';
import { type CompiledSpec, withinSteps } from '../occurrences';
import type { OccurrencePlan } from './catchup';

/** Occurrences that start at about the same instant, between `at` and `until`; epoch milliseconds. */
export interface Upcoming {
  at: number;
  until: number;
  count: number;
  /**
   * Whether the last of these occurrences lies beyond the trigger's limit, since its schedule allows a handover that
   * early.
   */
  isAsked: boolean;
}

export interface LookaheadLimits {
  now: number;
  waiting: number;
  /**
   * The rates of starts under load, for firings that are due and for those that are handed over ahead. Each is assumed
   * until it is measured.
   */
  startsPerSecond: { due: number; ahead: number };
  /** If all waiting and coming starts take no longer than this, no firing is handed over ahead. */
  preStartAfterMilliseconds: number;
  /** How far ahead a firing may be handed over, if its schedule does not say how far. */
  preStartCapMilliseconds: number;
}

/** The time for the starts is multiplied by this, since their rate may fall below the measured one. */
const MARGIN = 1.5;
/** An allowance for the poll itself, the claims and their first batch. */
const SHORTEST_MILLISECONDS = 1_000;

/**
 * The instant up to which firings should now be handed to Temporal ahead of time; undefined if none should.
 *
 * @param upcoming occurrences, ordered by time
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

/**
 * How far ahead of their time a schedule's firings may be handed over, in milliseconds. With a limit of 0, nothing is
 * handed over ahead.
 */
export function reachOf({ preStart }: Pick<EffectivePolicies, 'preStart'>, capMilliseconds: number): number {
  if (preStart === false || capMilliseconds === 0) return 0;
  return preStart === true ? capMilliseconds : preStart;
}

/** Plans only the first occurrence after `answeredTo`; undefined unless that occurrence starts in `(now, until]`. */
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
