import { type CompiledSpec, withinSteps } from '../occurrences';
import type { OccurrencePlan } from './catchup';

/** Occurrences that come due at about one instant, from `at` until `until`; epoch milliseconds. */
export interface Upcoming {
  at: number;
  until: number;
  count: number;
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
  for (const { at, until, count } of upcoming) {
    starts += count;
    const left = at - limits.now;
    const tooLong = starts / limits.startsPerSecond.due > limits.preStartAfterMilliseconds / 1_000;
    const needed = SHORTEST_MILLISECONDS + (starts / limits.startsPerSecond.ahead) * 1_000 * MARGIN;
    if (left > limits.preStartCapMilliseconds) break;
    if (tooLong && needed >= left) horizon = until;
  }
  return horizon;
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
