import { readMissedOverTime, readOutcomesOverTime } from '../../store/reads/outcomes-over-time';
import type { ServerContext } from '../context';

/** The range of time, and the tenant, of a chart. */
export interface OverTimeQuestion {
  hours: number;
  tenant: string | undefined;
}

/** Number of bars in a chart. */
const BUCKETS = 48;
const HOUR = 3_600_000;

/** Outcomes and lag over time, up to now. */
export async function outcomesOverTime(server: ServerContext, { hours, tenant }: OverTimeQuestion) {
  const bucketMilliseconds = Math.round((hours * HOUR) / BUCKETS);
  // Buckets begin at multiples of their length, so that their limits stay the same between reads.
  const to = new Date((Math.floor(server.now().getTime() / bucketMilliseconds) + 1) * bucketMilliseconds);
  const from = new Date(to.getTime() - BUCKETS * bucketMilliseconds);
  const query = { from, to, bucketMilliseconds, tenant };
  const [buckets, missed] = await Promise.all([
    readOutcomesOverTime(server.store, query),
    readMissedOverTime(server.store, query),
  ]);
  return { from, to, bucketMilliseconds, buckets, missed };
}
