import { type CompiledSpec, withinSteps } from '../occurrences';
import { gapOver, type PlanInput, startedBefore } from './catchup';
import { type FreezeStretch, type FrozenPlan, planFrozen } from './freeze';

/** Whether a pause with an end is over. A firing that starts exactly at the end of the pause fires. */
export function isPauseOver(
  { paused, pausedUntil }: { paused: boolean; pausedUntil: Date | null },
  now: number,
): boolean {
  return paused && pausedUntil !== null && pausedUntil.getTime() <= now;
}

/**
 * The instant up to which a pause that ended at `until` covers every occurrence: those that would have started
 * before the end.
 */
export function pausedThrough(spec: CompiledSpec, answeredTo: number, until: Date): number {
  return Math.max(answeredTo, startedBefore(spec, until.getTime()));
}

/**
 * {@link planFrozen} after a pause that has ended. A gap records occurrences before the end of the pause. Later
 * occurrences are on time or missed.
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
