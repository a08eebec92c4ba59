import type { EffectivePolicies } from '../definition/definition';
import { type CompiledSpec, withinSteps } from '../occurrences';
import type { OccurrencePlan } from './catchup';

/** Occurrences that come due at about one instant, from `at` until `until`; epoch milliseconds. */
export interface Upcoming {
  at: number;
  until: number;
  count: number;
  /** Whether these are farther ahead than the cap, of schedules that let themselves be handed over from there. */
  isAsked: boolean;
}

/** How fast starts go, and how far ahead one may begin. */
export interface LookaheadLimits {
  now: number;
  /** Starts that wait already. */
  waiting: number;
  /** Starts a second at full load, as measured: of what is due, while workers run it, and of what is handed over ahead. */
  startsPerSecond: { due: number; ahead: number };
  /** A burst that takes less than this to start is started when it is due. */
  preStartAfterMilliseconds: number;
  /** How far ahead a schedule that asks for nothing else may be handed over. */
  preStartCapMilliseconds: number;
}

/** A rate is measured, and may fall: begin this much earlier than it says. */
const MARGIN = 1.5;
/** For the poll itself, the claims and their first batch. */
const SHORTEST_MILLISECONDS = 1_000;

/**
 * Up to when firings are to be handed over ahead: to the last instant by which what is due until then takes as long to
 * start as is left. Undefined where all of it starts in time when it is due.
 *
 * @param upcoming in the order of time
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

/** How far ahead a schedule may be handed over, in milliseconds. A cap of 0 hands nothing over. */
export function reachOf({ preStart }: Pick<EffectivePolicies, 'preStart'>, capMilliseconds: number): number {
  if (preStart === false || capMilliseconds === 0) return 0;
  return preStart === true ? capMilliseconds : preStart;
}

/**
 * The next occurrence of a schedule that owes no answer for an earlier one, as a plan of its own; undefined where it does
 * not start in `(now, until]`.
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
