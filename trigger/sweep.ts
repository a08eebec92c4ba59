import { ensurePartitions } from '../store/partitions';
import type { TriggerContext } from './context';

/** Make this month and the next one ahead of time, so that no claim has to. */
export async function sweep(context: TriggerContext): Promise<void> {
  const now = new Date(context.clock.now());
  const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
  await ensurePartitions(context.store, [now, nextMonth]);
}
