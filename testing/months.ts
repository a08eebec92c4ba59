import { ensurePartitions } from '../store/firings/partitions';
import type { World } from './world';

/** Maximum number of months to create before a stretch; later ones are created when they are reached. */
const MONTHS_AT_MOST = 24;

/**
 * Create the months of a stretch before it begins, since every month that is created during it causes all statements to
 * be planned again.
 */
export async function makeMonths({ store, clock }: World, target: number): Promise<void> {
  const now = new Date(clock.now());
  const ahead = Array.from({ length: MONTHS_AT_MOST }, (_, index) =>
    Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + index + 1),
  ).filter((month) => month <= target);
  await ensurePartitions(
    store,
    ahead.map((month) => new Date(month)),
  );
}
