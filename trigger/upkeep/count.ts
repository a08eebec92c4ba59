import { countGaps, countMonths, GAPS_AT_ONCE } from '../../store/firings/counts';
import type { TriggerContext } from '../context';

/**
 * Count the months that have ended, and what is left of their gaps, so that the counts of all time need not read them again,
 * and outlive them.
 *
 * @returns up to where months are counted
 */
export async function count({ store, clock, stopping }: TriggerContext): Promise<Date | undefined> {
  const countedTo = await countMonths(store, clock.now());
  if (countedTo) while (!stopping.aborted && (await countGaps(store, countedTo)) === GAPS_AT_ONCE);
  return countedTo;
}
