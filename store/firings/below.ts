import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../connection';
import { isAnnounced } from './due-checks';
import type { WaitingLane } from './waiting';

/** Sets of rows that triggers read as queues, the earliest due time first. */
export type Queue = 'timers' | 'claimed' | 'linked' | 'closed';

/**
 * The result of a read below the floors. The floor of a queue is the due time below which the trigger expects no rows.
 */
export interface Below {
  /** The due time of the first row below each queue's floor; null if there is none. */
  first: Record<Queue, Date | null>;
  lanes: (WaitingLane & { namespace: string })[];
}

/**
 * Read the first row below the floor of each queue, and the lanes with waiting firings. While an old snapshot stays
 * open, this read scans an index entry for each row that has left the queue since then. Reads that begin at a floor do
 * not scan these entries.
 *
 * @param lanesOfEach the maximum number of lanes per namespace
 */
export async function readBelow(
  store: Store,
  floors: Record<Queue, Date | undefined>,
  lanesOfEach: number,
): Promise<Below> {
  const below = (queue: Queue) => floors[queue] ?? new Date(0);
  const firstCheck = (
    state: Exclude<Queue, 'timers'>,
    condition: RawBuilder<unknown> = sql`true`,
  ) => sql`(select f.check_at
    from ${store.table('firings')} f where f.state = ${sql.lit(state)} and f.check_at < ${below(state)} and ${condition}
    order by f.check_at limit 1)`;
  const { rows } = await sql<Record<Queue, Date | null> & { lanes: ListedLane[] }>`
    select (select t.wake_at from ${store.table('timers')} t where t.wake_at < ${below('timers')} order by t.wake_at limit 1) as timers,
      ${firstCheck('claimed', isAnnounced)} as claimed, ${firstCheck('linked')} as linked, ${firstCheck('closed')} as closed,
      (select coalesce(jsonb_agg(w), '[]') from ${sql.id(store.schema, 'waiting_lanes')}(${lanesOfEach}) w) as lanes`.execute(
    store.db,
  );
  const { lanes, ...first } = rows[0]!;
  return {
    first,
    lanes: lanes.map((lane) => ({
      namespace: lane.lane_namespace,
      tenant: lane.lane_tenant,
      taskQueue: lane.lane_queue,
      late: lane.lane_late,
      from: new Date(lane.first_ready_at),
    })),
  };
}

interface ListedLane {
  lane_namespace: string;
  lane_late: boolean;
  lane_tenant: string;
  lane_queue: string;
  first_ready_at: string;
}
