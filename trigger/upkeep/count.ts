import { countGaps, countMonths, GAPS_AT_ONCE } from '../../store/firings/counts';
import type { TriggerContext } from '../context';

/**
 * Count the firings and gaps of ended months. After that, counts of all time need not read those months again, and stay
 * right when the months are deleted.
 *
 * @returns the time up to which months are counted
 */
export async function count({ store, clock, stopping }: TriggerContext): Promise<Date | undefined> {
  const countedTo = await countMonths(store, clock.now());
  if (countedTo) while (!stopping.aborted && (await countGaps(store, countedTo)) === GAPS_AT_ONCE);
  return countedTo;
}
