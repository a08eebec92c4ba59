import { ensurePartitions } from '../../store/firings/partitions';
import { expireParked, wakeBehindParked } from '../../store/letters/expire-parked';
import type { TriggerContext } from '../context';
import { forget } from './forget';
import { retireMonths } from './retention';

/**
 * Make this month and the next one ahead of time, so that no claim has to; have steps fail that were parked for too long, and wake
 * what waits behind the others; retire months that are past retention, and delete what went with them.
 */
export async function sweep(context: TriggerContext): Promise<void> {
  const now = new Date(context.clock.now());
  const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
  await ensurePartitions(context.store, [now, nextMonth]);
  await expireParked(context.store, now);
  await wakeBehindParked(context.store, now);
  await retireMonths(context);
  await forget(context);
}
