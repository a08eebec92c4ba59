import { sql } from 'kysely';
import { READ_AT_MOST } from '../alerts/sighting';
import type { Store } from '../connection';
import { isManual } from '../schedules/schedule-completed';

/** Live schedules that have times and are not finished, and yet no next one: nothing would ever wake them. */
export async function readWithoutNextTime(store: Store): Promise<string[]> {
  const { rows } = await sql<{ scheduleId: string }>`
    select s.schedule_id as "scheduleId" from ${store.table('timers')} t join ${store.table('schedules')} s using (schedule_id)
    where t.next_fire_at is null and t.completed_at is null and t.wake_at = 'infinity' and s.deleted_at is null and not s.paused
      and s.spec_error is null and not ${isManual(store)}
    order by s.schedule_id limit ${READ_AT_MOST}`.execute(store.db);
  return rows.map(({ scheduleId }) => scheduleId);
}

/** Where live schedules start their workflows. */
export interface RouteInUse {
  namespace: string;
  taskQueue: string;
  /** Schedules that are not paused. */
  schedules: number;
  /** The longest of their catch-up windows, in milliseconds. */
  catchupWindow: number;
}

export async function readRoutesInUse(store: Store): Promise<RouteInUse[]> {
  const { rows } = await sql<RouteInUse>`
    select v.namespace, v.action ->> 'taskQueue' as "taskQueue", count(*)::int as schedules,
      max((v.policies ->> 'catchupWindow')::float8) as "catchupWindow"
    from ${store.table('schedules')} s join ${store.table('schedule_versions')} v using (schedule_id, version)
    where s.deleted_at is null and not s.paused group by 1, 2 order by 1, 2`.execute(store.db);
  return rows;
}
