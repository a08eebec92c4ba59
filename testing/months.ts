import { ensurePartitions } from '../store/firings/partitions';
import type { World } from './world';

/** The partitions of later months are created when time reaches them. */
const MONTHS_AT_MOST = 24;

/** Each partition that is created later makes Postgres plan prepared statements again. */
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
