import type { CompiledSpec } from '../occurrences';
import type { Gap, PlannedFiring } from './catchup';
import { type FreezeStretch, planFrozen } from './freeze';

/** The stretch that a definition still has to answer for when another one replaces it. Epoch milliseconds. */
export interface HandoverInput {
  /** Exclusive. */
  answeredTo: number;
  /** The instant of the change, inclusive. */
  at: number;
  catchupWindowMilliseconds: number;
  catchupLimit: number;
  /** What holds some of it. Of one that has not ended it is caught up as if it ended now, and waits in the ledger until it does. */
  freezes: FreezeStretch[];
}

/** Firings that one change writes at most, the most recent ones. */
export const HANDED_OVER_AT_MOST = 1_000;

/**
 * What a definition leaves to be answered when it is replaced, with no trigger at hand. Every occurrence up to that
 * instant becomes a firing or a gap, as a claim at that instant would have decided.
 */
export function handOver(spec: CompiledSpec, input: HandoverInput): { firings: PlannedFiring[]; gaps: Gap[] } {
  const { answeredTo, at } = input;
  if (at <= answeredTo) return { firings: [], gaps: [] };
  const freezes = input.freezes.map((freeze) => ({ ...freeze, to: Math.min(freeze.to, at) }));
  const { firings, gaps, nextFireAt } = planFrozen(
    spec,
    freezes.filter(({ from, to }) => from < to),
    {
      answeredTo,
      now: at,
      catchupWindowMilliseconds: input.catchupWindowMilliseconds,
      catchupLimit: Math.min(input.catchupLimit, HANDED_OVER_AT_MOST),
      firingsAtMost: Number.POSITIVE_INFINITY,
    },
  );
  // One may wait for its jitter. It was due by the old definition, and the new one knows nothing of it.
  if (nextFireAt !== undefined && nextFireAt <= at) firings.push({ scheduledTime: nextFireAt, kind: 'schedule' });
  return { firings, gaps };
}
