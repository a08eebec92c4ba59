import type { CompiledSpec } from '../occurrences';
import type { Gap, PlannedFiring } from './catchup';
import { type FreezeStretch, freezeAt, planFrozen, withoutOverlaps } from './freeze';

/**
 * The period whose occurrences a definition must still answer when another definition replaces it. Epoch milliseconds.
 */
export interface HandoverInput {
  /** Occurrences up to and including this instant are already answered. */
  answeredTo: number;
  /** The instant of the change; an occurrence at this instant still belongs to the former definition. */
  at: number;
  catchupWindowMilliseconds: number;
  catchupLimit: number;
  /**
   * Freezes in this period. A freeze that has not ended counts as ended at `at`. But if the last occurrence starts in
   * it at `at` or later, it counts as ended just after that start.
   */
  freezes: FreezeStretch[];
  excluded?: readonly number[];
  /** The end of the retired months: no firing may lie before it. @default no bound */
  notBefore?: number | undefined;
}

export interface DelayedFiring extends PlannedFiring {
  /** When the firing should start, if its jitter still runs. Epoch milliseconds. */
  startsAt?: number;
}

const HANDED_OVER_AT_MOST = 1_000;

/**
 * Answers the due occurrences of a definition that is replaced, as a claim at the instant of the change would, with
 * three differences. Freezes count as ended at that instant. The catch-up limit is at most 1,000. The last occurrence
 * is answered even if its jitter still runs.
 */
export function handOver(spec: CompiledSpec, input: HandoverInput): { firings: DelayedFiring[]; gaps: Gap[] } {
  const at = Math.max(input.at, heldAtStart(spec, input));
  // Overlaps are removed before the freezes are cut, since the cut removes the information which freeze ends last. A
  // freeze that begins after the cut holds nothing.
  const freezes = withoutOverlaps(input.freezes).map((freeze) => ({ ...freeze, to: Math.min(freeze.to, at) }));
  const { firings, gaps, nextFireAt } = planFrozen(spec, freezes, {
    answeredTo: input.answeredTo,
    now: at,
    catchupWindowMilliseconds: input.catchupWindowMilliseconds,
    catchupLimit: Math.min(input.catchupLimit, HANDED_OVER_AT_MOST),
    firingsAtMost: Number.POSITIVE_INFINITY,
    excluded: input.excluded,
    notBefore: input.notBefore,
  });
  // Jitter may still delay the start of the last occurrence, which belongs to the former definition.
  if (nextFireAt === undefined || nextFireAt > at) return { firings, gaps };
  if (input.notBefore !== undefined && nextFireAt < input.notBefore) {
    return { firings, gaps: [...gaps, { from: nextFireAt, to: nextFireAt, count: 1, reason: 'outside_retention' }] };
  }
  const delayed = { scheduledTime: nextFireAt, kind: 'schedule', startsAt: spec.startTime(nextFireAt) } as const;
  return { firings: [...firings, delayed], gaps };
}

/**
 * If the last occurrence up to the change starts in a freeze, returns the instant just after its start. Jitter may
 * delay this start beyond the change. Returns 0 if the occurrence starts in no freeze, or if another occurrence comes
 * first.
 */
function heldAtStart(spec: CompiledSpec, { at, freezes }: HandoverInput): number {
  const last = spec.previous(at + 1);
  const startsAt = last === undefined ? 0 : spec.startTime(last);
  const isBefore = startsAt + 1 < (spec.next(at) ?? Number.POSITIVE_INFINITY);
  return isBefore && freezeAt(freezes, startsAt) ? startsAt + 1 : 0;
}
