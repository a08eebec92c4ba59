import type { FiringOutcome, FiringState } from '../firing';

/** Why running a firing a second time could repeat work that was already done; undefined if it could not. */
export function mayBeDone({
  state,
  outcome,
  reason,
}: {
  state: FiringState;
  outcome: FiringOutcome | null;
  reason: string | null;
}): string | undefined {
  if (state === 'closed' && outcome === 'completed') return 'has completed';
  if (state === 'closed' && outcome === 'unknown') return 'has ended in an unknown way';
  if (state === 'skipped' && reason === 'native') return "was started by Temporal's own schedule";
  if (state === 'skipped' && reason === 'shadow') return 'was left to the scheduler that this schedule shadowed';
  if (state === 'abandoned' && reason === 'start_uncertain') return 'may have been started';
  return undefined;
}
