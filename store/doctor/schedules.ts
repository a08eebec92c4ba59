import { sql } from 'kysely';
import type { Store } from '../connection';
import { isManual } from '../schedules/schedule-completed';
import { ofTenant } from '../schedules/tenant';
import { amountIn, objectOf } from '../text';

/**
 * A namespace and a task queue in which schedules start workflows. Schedules that are completed, or paused without an
 * end, count only if one of their firings is open.
 */
export interface RouteInUse {
  namespace: string;
  /** Empty if the definition is damaged and names none. */
  taskQueue: string;
  schedules: number;
  /** How many of these schedules are neither paused, completed nor set aside, and do not fire only by hand. */
  firing: number;
  /** The longest catch-up window of these schedules, in milliseconds. */
  catchupWindow: number;
}

/** @param tenant whose schedules. @default those of all tenants */
export async function readRoutesInUse(store: Store, tenant?: string): Promise<RouteInUse[]> {
  const { rows } = await sql<RouteInUse>`
    select v.namespace, coalesce(v.action ->> 'taskQueue', '') as "taskQueue", count(*)::int as schedules,
      (count(*) filter (where t.completed_at is null and coalesce(t.remaining_actions, 1) > 0 and not s.paused
        and s.spec_error is null))::int as firing,
      coalesce(max(${amountIn(sql`v.policies`, 'catchupWindow')}), 0) as "catchupWindow"
    from ${store.table('schedules')} s join ${store.table('schedule_versions')} v using (schedule_id, version)
    join ${store.table('timers')} t using (schedule_id)
    where s.deleted_at is null and ${ofTenant(store, sql`t.schedule_id`, tenant)}
      and ((not s.paused or s.paused_until is not null) and (t.completed_at is null or ${isManual(store)})
        or exists (select 1 from ${store.table('firings')} f
          where f.schedule_id = s.schedule_id and f.state in ('buffered', 'claimed', 'linked')))
    group by 1, 2 order by 1, 2`.execute(store.db);
  return rows;
}

/** A search attribute that live schedules set on their workflows. */
export interface AttributeInUse {
  namespace: string;
  name: string;
  /** The attribute's type, such as `Keyword`; null if none was given. */
  type: string | null;
  schedules: number;
}

export async function readAttributesInUse(store: Store): Promise<AttributeInUse[]> {
  const { rows } = await sql<AttributeInUse>`
    select v.namespace, a.key as name, a.value ->> 'type' as type, count(*)::int as schedules
    from ${store.table('schedules')} s join ${store.table('schedule_versions')} v using (schedule_id, version)
    cross join lateral jsonb_each(${objectOf(sql`v.action -> 'searchAttributes'`)}) a
    where s.deleted_at is null and jsonb_typeof(v.action -> 'searchAttributes') = 'object'
    group by 1, 2, 3 order by 1, 2, 3`.execute(store.db);
  return rows;
}
