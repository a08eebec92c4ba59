import { ensurePartitions } from '../store/partitions';
import type { TriggerContext } from './context';
import { forget } from './forget';
import { pruneGaps } from './prune-gaps';
import { retireMonths } from './retention';

/** Make this month and the next one ahead of time, so that no claim has to, retire those that are past retention, and delete what went with them. */
export async function sweep(context: TriggerContext): Promise<void> {
  const now = new Date(context.clock.now());
  const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
  await ensurePartitions(context.store, [now, nextMonth]);
  await retireMonths(context);
  await pruneGaps(context);
  await forget(context);
}
