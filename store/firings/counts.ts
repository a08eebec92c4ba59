import { sql } from 'kysely';
import type { Store } from '../connection';
import { isLockTimeout } from '../postgres-errors';
import { transact } from '../transaction';
import { partitionOf } from './partitions';
import { readMonths } from './retire-month';

/** The conditions by which firings `f` are counted, by the columns of `firing_counts`. */
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

const DAY_MILLISECONDS = 86_400_000;
/** A month is counted a day after its end at the earliest: each change after the count costs one more row. */
const COUNTED_AFTER_MILLISECONDS = DAY_MILLISECONDS;
export const GAPS_AT_ONCE = 1_000;

async function readCountedTo(store: Store): Promise<Date | undefined> {
  const { rows } = await sql<{ to: Date }>`
    select (value #>> '{}')::timestamptz as "to" from ${store.table('meta')} where key = 'counted_to'`.execute(
    store.db,
  );
  return rows[0]?.to;
}

/** A month with a larger table is counted day by day: one statement for the whole month could exceed its time limit. */
const COUNTED_AT_ONCE_BYTES = 1024 ** 3;

/**
 * Count months that ended at least a day ago, oldest first. If a transaction that writes to a month keeps the month
 * from being counted, this month and all later ones are left for a later call.
 *
 * @returns the time up to which firings are counted after this call; undefined if no day was ever counted
 */
export async function countMonths(
  store: Store,
  now: number,
  { atOnceBytes = COUNTED_AT_ONCE_BYTES }: { atOnceBytes?: number } = {},
): Promise<Date | undefined> {
  const countedTo = (await readCountedTo(store))?.getTime() ?? Number.NEGATIVE_INFINITY;
  for (const month of await readMonths(store)) {
    const end = endOfMonth(month);
    if (end + COUNTED_AFTER_MILLISECONDS > now) break;
    if (end <= countedTo) continue;
    const from = Math.max(month.getTime(), countedTo);
    const step = (await sizeOf(store, month)) > atOnceBytes ? DAY_MILLISECONDS : end - from;
    if (!(await countMonth(store, { month, from, end, step }))) break;
  }
  return readCountedTo(store);
}

async function countMonth(
  store: Store,
  { month, from, end, step }: { month: Date; from: number; end: number; step: number },
): Promise<boolean> {
  try {
    // Two transactions are necessary: every write that was in progress when the first one began is over before the
    // second one counts.
    await sql`select ${sql.id(store.schema, 'begin_counts')}(${month}::timestamptz)`.execute(store.db);
    for (let at = from; at < end; at += step) {
      const { rows } = await sql<{ counted: boolean }>`
        select ${sql.id(store.schema, 'count_firings')}(${new Date(at)}::timestamptz, ${new Date(at + step)}::timestamptz) as counted`.execute(
        store.db,
      );
      if (!rows[0]!.counted) return false;
    }
    return true;
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
}

async function sizeOf(store: Store, month: Date): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(pg_relation_size(to_regclass(${partitionOf(store, month)})), 0)::float8 as bytes`.execute(store.db);
  return rows[0]!.bytes;
}

export function endOfMonth(month: Date): number {
  return Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1);
}

/**
 * Count the missed occurrences of a batch of gaps that ended in counted months, without those that have a firing. A
 * firing takes precedence over the gap around it. A transaction that later writes a firing within a counted gap waits
 * for this count, and then has the gap counted again. Returns how many gaps were counted.
 */
export async function countGaps(store: Store, countedTo: Date): Promise<number> {
  const gaps = store.table('gaps');
  return transact(store, async ({ db }) => {
    const { rows } = await sql<{ id: string; from: Date }>`
      select schedule_id as id, from_time as "from" from ${gaps} where missed is null and to_time < ${countedTo}
      limit ${GAPS_AT_ONCE} for update skip locked`.execute(db);
    if (rows.length === 0) return 0;
    // The count is a second statement, so that it sees rows that were written before the locks were taken.
    await sql`update ${gaps} g set missed = greatest(0, g.count - (
        select count(*) from ${store.table('firings')} f where f.schedule_id = g.schedule_id and f.kind <> 'manual'
          and f.scheduled_time between g.from_time and g.to_time))
      from unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ from }) => from)}::timestamptz[]) as x (id, from_time)
      where g.schedule_id = x.id and g.from_time = x.from_time`.execute(db);
    return rows.length;
  });
}

/**
 * Add up the changes of counted months into one row per month and tenant. Changes that are written during the statement
 * stay as separate rows. Returns 0, since one call adds up everything.
 */
export async function addUpCounts(store: Store): Promise<number> {
  const counts = store.table('firing_counts');
  const summed = [...COUNTS, 'missed'];
  await sql`
    with months as (
      select distinct date_trunc('month', day)::date as month, tenant from ${counts}
      where not summed and day < (select date_trunc('month', (value #>> '{}')::timestamptz at time zone 'UTC')
        from ${store.table('meta')} where key = 'counted_to')),
    gone as (
      delete from ${counts} c using months m
      where c.day >= m.month and c.day < m.month + interval '1 month' and c.tenant = m.tenant returning c.*)
    insert into ${counts} (day, tenant, summed, ${sql.join(summed.map((name) => sql.id(name)))})
      select date_trunc('month', day)::date, tenant, true, ${sql.join(summed.map((name) => sql`sum(${sql.id(name)})`))} from gone
      group by 1, 2`.execute(store.db);
  return 0;
}

export async function isCounted(store: Store, month: { month: string }): Promise<boolean> {
  const { rows } = await sql`select 1 as one from ${store.table('firing_counts')}
    where date_trunc('month', day) = ${`${month.month}-01`}::date and total > 0 limit 1`.execute(store.db);
  return rows.length > 0;
}

/**
 * From now on, count the changes of firings of a restored month, if it lies before `counted_to`. If the month was
 * retired before months were counted, its firings are counted too.
 */
export async function countRestored(store: Store, { from }: { from: Date }, counted: boolean): Promise<void> {
  const countedTo = await readCountedTo(store);
  if (!countedTo || from >= countedTo) return;
  await sql`select ${sql.id(store.schema, 'begin_counts')}(${from}::timestamptz)`.execute(store.db);
  if (counted) return;
  const until = new Date(endOfMonth(from));
  const sums = Object.values(COUNTED_FIRINGS).map((which) => sql`count(*) filter (where ${which})`);
  await sql`insert into ${store.table('firing_counts')} (day, tenant, ${sql.join(COUNTS.map((name) => sql.id(name)))})
    select ${from.toISOString().slice(0, 10)}::date, coalesce(s.tenant, ''), ${sql.join(sums)}
    from ${store.table('firings')} f left join ${store.table('schedules')} s using (schedule_id)
    where f.scheduled_time >= ${from} and f.scheduled_time < ${until} group by 2`.execute(store.db);
}
