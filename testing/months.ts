import { ensurePartitions } from '../store/firings/partitions';
import type { World } from './world';

/** Months that a stretch makes beforehand at most: those behind them are made as it comes to them. */
const MONTHS_AT_MOST = 24;

/** Make the months of a stretch before it begins: for each that is made in it, every statement is planned again. */
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
