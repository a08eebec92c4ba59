import { sql } from 'kysely';
import type { Store } from '../connection';
import { isLockTimeout } from '../postgres-errors';
import { transact } from '../transaction';
import { readMonths } from './retention';

/** What is counted of firings `f`, as the columns of `firing_counts`. */
export const COUNTED_FIRINGS = {
  total: sql`true`,
  linked: sql`f.run_id is not null`,
  abandoned: sql`f.state = 'abandoned'`,
  skipped: sql`f.state = 'skipped'`,
  completed: sql`f.outcome = 'completed'`,
  failed: sql`f.outcome in ('failed', 'timed_out')`,
  attempted: sql`f.recovery is not null`,
  succeeded: sql`f.recovery is not null and f.run_id is not null`,
  gave_up: sql`f.recovery is not null and f.state = 'abandoned'`,
} as const;

const COUNTS = Object.keys(COUNTED_FIRINGS);

/** A month is counted a day after its end: most of its firings have ended too, and each later change is one more row. */
const COUNTED_AFTER_MILLISECONDS = 86_400_000;
/** Gaps that one statement counts: a page takes milliseconds. */
export const GAPS_AT_ONCE = 1_000;

/** Up to where months are counted; undefined before the first is. */
export async function readCountedTo(store: Store): Promise<Date | undefined> {
  const { rows } = await sql<{ to: Date }>`
    select (value #>> '{}')::timestamptz as "to" from ${store.table('meta')} where key = 'counted_to'`.execute(
    store.db,
  );
  return rows[0]?.to;
}

/**
 * Count the months that have ended, oldest first, and follow their changes from then on. A month that somebody writes to at this
 * moment is counted the next time, and so are those after it.
 *
 * @returns up to where months are counted now
 */
export async function countMonths(store: Store, now: number): Promise<Date | undefined> {
  const countedTo = await readCountedTo(store);
  for (const month of await readMonths(store)) {
    const end = Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1);
    if (end + COUNTED_AFTER_MILLISECONDS > now) break;
    if (countedTo && month < countedTo) continue;
    if (!(await countMonth(store, month))) break;
  }
  return readCountedTo(store);
}

async function countMonth(store: Store, month: Date): Promise<boolean> {
  try {
    // Two transactions: what was under way when the first began is over before the second counts.
    await sql`select ${sql.id(store.schema, 'begin_counts')}(${month}::timestamptz)`.execute(store.db);
    const { rows } = await sql<{ counted: boolean }>`
      select ${sql.id(store.schema, 'count_month')}(${month}::timestamptz) as counted`.execute(store.db);
    return rows[0]!.counted;
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
}

/**
 * Count what is left of a page of gaps that ended where months are counted: a firing beats the gap around it. Whoever writes
 * such a firing afterwards waits until this has ended, and has the gap counted anew.
 *
 * @returns how many gaps
 */
export async function countGaps(store: Store, countedTo: Date): Promise<number> {
  const gaps = store.table('gaps');
  return transact(store, async ({ db }) => {
    const { rows } = await sql<{ id: string; from: Date }>`
      select schedule_id as id, from_time as "from" from ${gaps} where missed is null and to_time < ${countedTo}
      limit ${GAPS_AT_ONCE} for update skip locked`.execute(db);
    if (rows.length === 0) return 0;
    // A statement of its own: it sees what was written before the locks were taken.
    await sql`update ${gaps} g set missed = greatest(0, g.count - (
        select count(*) from ${store.table('firings')} f where f.schedule_id = g.schedule_id and f.kind <> 'manual'
          and f.scheduled_time between g.from_time and g.to_time))
      from unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ from }) => from)}::timestamptz[]) as x (id, from_time)
      where g.schedule_id = x.id and g.from_time = x.from_time`.execute(db);
    return rows.length;
  });
}

/**
 * Add up the changes of counted months. What is written meanwhile stays beside the sums.
 *
 * @returns 0: all is done at once
 */
export async function addUpCounts(store: Store): Promise<number> {
  const counts = store.table('firing_counts');
  const summed = [...COUNTS, 'missed'];
  await sql`
    with gone as (
      delete from ${counts} c using (select distinct month, tenant from ${counts} where not summed) n
      where c.month = n.month and c.tenant = n.tenant returning c.*)
    insert into ${counts} (month, tenant, summed, ${sql.join(summed.map((name) => sql.id(name)))})
      select month, tenant, true, ${sql.join(summed.map((name) => sql`sum(${sql.id(name)})`))} from gone
      group by month, tenant`.execute(store.db);
  return 0;
}

/** Whether the firings of a month are among the counts. */
export async function isCounted(store: Store, month: { month: string }): Promise<boolean> {
  const { rows } = await sql`select 1 as one from ${store.table('firing_counts')}
    where month = ${`${month.month}-01`}::date and total > 0 limit 1`.execute(store.db);
  return rows.length > 0;
}

/** Follow the changes of a month that was put back, and count it where it was retired before months were counted. */
export async function countRestored(store: Store, { from }: { from: Date }, counted: boolean): Promise<void> {
  const countedTo = await readCountedTo(store);
  if (!countedTo || from >= countedTo) return;
  await sql`select ${sql.id(store.schema, 'begin_counts')}(${from}::timestamptz)`.execute(store.db);
  if (counted) return;
  const until = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1));
  const sums = Object.values(COUNTED_FIRINGS).map((which) => sql`count(*) filter (where ${which})`);
  await sql`insert into ${store.table('firing_counts')} (month, tenant, ${sql.join(COUNTS.map((name) => sql.id(name)))})
    select ${from.toISOString().slice(0, 10)}::date, coalesce(s.tenant, ''), ${sql.join(sums)}
    from ${store.table('firings')} f left join ${store.table('schedules')} s using (schedule_id)
    where f.scheduled_time >= ${from} and f.scheduled_time < ${until} group by 2`.execute(store.db);
}
