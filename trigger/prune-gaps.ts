import { deleteGaps, mayDeleteGaps } from '../store/gaps';
import type { TriggerContext } from './context';

/**
 * Delete the gaps that ended where months are retired, page by page, once they are as old as the retention themselves: what was
 * missed long ago and answered today is shown for as long as any other answer.
 */
export async function pruneGaps(context: TriggerContext): Promise<void> {
  const { store, clock, limits, retentionFloor, stopping } = context;
  const before = Math.min(
    retentionFloor?.getTime() ?? Number.NEGATIVE_INFINITY,
    clock.now() - limits.retentionMilliseconds,
  );
  // Nothing is retired, or all is kept for ever.
  if (before === Number.NEGATIVE_INFINITY) return;
  if (!(await mayDeleteGaps(store))) return;
  while (!stopping.aborted && (await deleteGaps(store, new Date(before))));
}
