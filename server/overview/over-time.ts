import { readMissedOverTime, readOutcomesOverTime } from '../../store/reads/outcomes-over-time';
import type { ServerContext } from '../context';

export interface OverTimeQuestion {
  hours: number;
  tenant: string | undefined;
}

const BUCKETS = 48;
const HOUR = 3_600_000;

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
