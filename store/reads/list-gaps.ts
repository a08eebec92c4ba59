import { sql } from 'kysely';
import type { Store } from '../connection';
import { and } from '../text';
import type { StoredGap } from './explain';

/** A range of occurrences that a schedule did not fire by itself. */
export interface ListedGap extends StoredGap {
  /** The schedule of these occurrences. */
  scheduleId: string;
}

export type GapKey = Pick<ListedGap, 'recordedAt' | 'scheduleId' | 'from'>;

export interface GapFilter {
  scheduleId?: string | undefined;
  /** Only gaps that were first written at this time or later. */
  from?: Date | undefined;
  /** Only gaps that were first written before this time. */
  to?: Date | undefined;
  tenant?: string | undefined;
}

/** Reads a page of gaps after `cursor`: those that were first written last come first. */
export async function readGapsPage(
  store: Store,
  { scheduleId, from, to, tenant }: GapFilter,
  { cursor, size }: { cursor: GapKey | undefined; size: number },
): Promise<ListedGap[]> {
  const conditions = [sql`true`];
  if (scheduleId !== undefined) conditions.push(sql`g.schedule_id = ${scheduleId}`);
  if (from) conditions.push(sql`g.recorded_at >= ${from}`);
  if (to) conditions.push(sql`g.recorded_at < ${to}`);
  // The tenant is checked row by row: for a join, the planner might read both tables as a whole first.
  if (tenant !== undefined) {
    conditions.push(
      sql`(select s.tenant = ${tenant} from ${store.table('schedules')} s where s.schedule_id = g.schedule_id)`,
    );
  }
  if (cursor) {
    conditions.push(sql`g.recorded_at <= ${cursor.recordedAt}`);
    conditions.push(
      sql`(g.recorded_at, g.schedule_id, g.from_time) < (${cursor.recordedAt}, ${cursor.scheduleId}, ${cursor.from})`,
    );
  }
  const { rows } = await sql<ListedGap>`
    select g.schedule_id as "scheduleId", g.from_time as "from", g.to_time as "to", g.count, g.reason,
      g.recorded_at as "recordedAt", g.freeze_id as "freezeId"
    from ${store.table('gaps')} g where ${and(conditions)}
    order by g.recorded_at desc, g.schedule_id desc, g.from_time desc limit ${size}`.execute(store.db);
  return rows;
}
