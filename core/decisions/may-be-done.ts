import type { FiringOutcome, FiringState } from '../firing';

/**
 * Why the whole work of a firing may already be done, so that another run could repeat it; undefined if nothing shows
 * that.
 */
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
