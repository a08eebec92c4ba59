import { countGaps, countMonths, GAPS_AT_ONCE } from '../../store/firings/counts';
import type { TriggerContext } from '../context';

/**
 * Count the firings and gaps of ended months. Counts of all time then need not read those months again, and survive their
 * deletion.
 *
 * @returns the time up to which months are counted
 */
export async function count({ store, clock, stopping }: TriggerContext): Promise<Date | undefined> {
  const countedTo = await countMonths(store, clock.now());
  if (countedTo) while (!stopping.aborted && (await countGaps(store, countedTo)) === GAPS_AT_ONCE);
  return countedTo;
}
