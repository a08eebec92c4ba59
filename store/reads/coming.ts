import { sql } from 'kysely';
import type { Store } from '../connection';
import { ofTenant } from '../schedules/tenant';

export interface ComingMinute {
  at: Date;
  schedules: number;
  /** One of these schedules. */
  scheduleId: string;
}

/** Counts schedules by the minute of their next time, for next times in `[from, to)`. */
export async function readComing(
  store: Store,
  { from, to, tenant }: { from: Date; to: Date; tenant: string | undefined },
): Promise<ComingMinute[]> {
  const { rows } = await sql<ComingMinute>`
    select date_trunc('minute', t.next_fire_at) as at, count(*)::int as schedules, min(t.schedule_id) as "scheduleId"
    from ${store.table('timers')} t
    where t.next_fire_at >= ${from} and t.next_fire_at < ${to} and ${ofTenant(store, sql`t.schedule_id`, tenant)}
    group by 1 order by 1`.execute(store.db);
  return rows;
}
