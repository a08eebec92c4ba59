import { type CompiledSpec, withinSteps } from '../occurrences';
import { gapOver, type PlanInput, startedBefore } from './catchup';
import { type FreezeStretch, type FrozenPlan, planFrozen } from './freeze';

/** Whether a pause that ends by itself is over. One that starts at the very instant of its end fires. */
export function isPauseOver(
  { paused, pausedUntil }: { paused: boolean; pausedUntil: Date | null },
  now: number,
): boolean {
  return paused && pausedUntil !== null && pausedUntil.getTime() <= now;
}

/** The instant through which a pause that ended at `until` answers for every occurrence: those that were to start before it. */
export function pausedThrough(spec: CompiledSpec, answeredTo: number, until: Date): number {
  return Math.max(answeredTo, startedBefore(spec, until.getTime()));
}

/**
 * {@link planFrozen} behind a pause that is over: a gap answers for what was to start before its end, and what came later is
 * on time, or was missed.
 */
export function planAfterPause(
  spec: CompiledSpec,
  until: Date,
  freezes: FreezeStretch[],
  input: PlanInput,
): FrozenPlan {
  return withinSteps('spec', () => {
    const answeredTo = pausedThrough(spec, input.answeredTo, until);
    const gap = gapOver(spec, input.answeredTo, answeredTo, 'paused');
    const plan = planFrozen(spec, freezes, { ...input, answeredTo });
    return gap ? { ...plan, gaps: [gap, ...plan.gaps] } : plan;
  });
}
