import { readMonths, readRetentionFloor, retireMonth } from '../store/retention';
import type { TriggerContext } from './context';

/**
 * Retire the months that ended longer ago than the retention, oldest first. A month that is held, by an open firing or by
 * readers, holds those after it as well, so that everything before the floor is retired.
 */
export async function retireMonths(context: TriggerContext): Promise<void> {
  const { store, clock, limits, logger } = context;
  const endedBefore = clock.now() - limits.retentionMilliseconds;
  const months = await readMonths(store);
  for (const month of months.filter((one) => endOf(one) <= endedBefore)) {
    const name = month.toISOString().slice(0, 7);
    const result = await retireMonth(store, month);
    if (result !== 'retired') {
      logger.debug('month not retired yet', { month: name, because: result });
      break;
    }
    logger.info('month retired', { month: name });
  }
  context.retentionFloor = await readRetentionFloor(store);
}

/** Where the next month begins, by UTC. */
function endOf(month: Date): number {
  return Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1);
}
