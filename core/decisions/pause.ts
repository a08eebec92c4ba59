import { type CompiledSpec, withinSteps } from '../occurrences';
import { gapOver, type PlanInput, startedBefore } from './catchup';
import { type FreezeStretch, type FrozenPlan, planFrozen } from './freeze';

export function isPauseOver(
  { paused, pausedUntil }: { paused: boolean; pausedUntil: Date | null },
  now: number,
): boolean {
  return paused && pausedUntil !== null && pausedUntil.getTime() <= now;
}

/** Whether a schedule is paused. A pause that is over does not count, even if no trigger has recorded its end yet. */
export function isPausedAt(schedule: { paused: boolean; pausedUntil: Date | null }, now: number): boolean {
  return schedule.paused && !isPauseOver(schedule, now);
}

/**
 * The end of the occurrences that a pause until `until` covers: those whose start, jitter included, lies before
 * `until`.
 */
export function pausedThrough(spec: CompiledSpec, answeredTo: number, until: Date): number {
  return Math.max(answeredTo, startedBefore(spec, until.getTime()));
}

/**
 * Like {@link planFrozen}, for a schedule whose pause has ended. Occurrences before the end of the pause become a gap.
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
