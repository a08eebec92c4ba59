import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../connection';
import { IS_WAITING } from '../firings/waiting';
import { ofTenant } from '../schedules/tenant';

/** What is under way; each is counted up to 100,000. */
export interface StandingNow {
  /** Schedules that are due and not claimed, and since when the first is. */
  due: number;
  dueSince: Date | null;
  /** Firings that may start and have not, and since when the first may. */
  waiting: number;
  waitingSince: Date | null;
  /** Firings whose chain runs as far as is known. */
  running: number;
}

const COUNTED_AT_MOST = 100_000;

export async function readStandingNow(
  store: Store,
  { now, tenant }: { now: Date; tenant: string | undefined },
): Promise<StandingNow> {
  const counted = (rows: RawBuilder<unknown>) => sql`(${rows} limit ${COUNTED_AT_MOST})`;
  const firings = store.table('firings');
  const due = counted(
    sql`select greatest(t.wake_at, t.next_fire_at) as at from ${store.table('timers')} t
      where t.wake_at <= ${now} and t.next_fire_at <= ${now} and ${ofTenant(store, sql`t.schedule_id`, tenant)}`,
  );
  const own = ofTenant(store, sql`f.schedule_id`, tenant);
  const waiting = counted(
    sql`select f.ready_at as at from ${firings} f where ${IS_WAITING} and f.ready_at <= ${now} and ${own}`,
  );
  const running = counted(sql`select 1 from ${firings} f where f.state = 'linked' and ${own}`);
  const { rows } = await sql<StandingNow>`
    select (select count(*)::int from ${due} d) as due, (select min(at) from ${due} d) as "dueSince",
      (select count(*)::int from ${waiting} w) as waiting, (select min(at) from ${waiting} w) as "waitingSince",
      (select count(*)::int from ${running} r) as running`.execute(store.db);
  return rows[0]!;
}
