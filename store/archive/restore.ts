import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../connection';
import { countRestored, isCounted } from '../firings/counts';
import { purgedOf } from '../schedules/purged';
import { transact } from '../transaction';
import { type Keep, keepRestored } from './restored';
import type { Archived } from './rows';

/**
 * The tables into which restore writes a month's gaps and letters. Firings go to a new table, which is attached to
 * `firings` once it is complete, or else copied into the month's table.
 */
const INTO = { gaps: 'gaps', letters: 'letters' } as const;

/** A month to restore: its name, such as `2026-01`, its first instant, and the first instant of the next month. */
export interface RestoredMonth {
  month: string;
  from: Date;
  until: Date;
}

/** Prepare the restore of a month, and drop what an interrupted restore has left. */
export async function beginRestore(store: Store, month: RestoredMonth): Promise<void> {
  const table = sql.id(store.schema, stagingOf(month));
  await sql`drop table if exists ${table}`.execute(store.db);
  await sql`create table ${table} (like ${store.table('firings')} including defaults including constraints including indexes
    including storage) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02)`.execute(store.db);
}

/**
 * Write archived rows into their table; rows that already exist stay as they are. Columns that the archived rows lack
 * get their defaults. Rows of erased schedules are left out: their counts may be erased too, so that a further purge
 * would subtract these rows from the counts of others.
 *
 * @returns the number of rows that were written
 */
export async function writeRows(store: Store, what: Archived, month: RestoredMonth, lines: string[]): Promise<number> {
  const columns = Object.keys(JSON.parse(lines[0]!) as object).map((name) => sql.ref(name));
  const into = what === 'firings' ? sql.id(store.schema, stagingOf(month)) : store.table(INTO[what]);
  const like = store.table(what === 'firings' ? 'firings' : INTO[what]);
  const isThere =
    what === 'letters'
      ? sql`where not exists (select from ${store.table('dead_letters')} l where l.letter_id = x.letter_id)`
      : sql``;
  const put = sql`insert into ${into} (${sql.join(columns)}) select ${sql.join(columns)} from given x ${isThere}
    on conflict do nothing`;
  // When these gaps were deleted, their missed occurrences were added to the counts. These occurrences are subtracted,
  // since gaps in the table are counted again.
  const subtracted = sql`put as (${put} returning schedule_id, from_time, coalesce(missed, count) as missed),
    subtracted as (
      insert into ${store.table('firing_counts')} (day, tenant, missed)
      select (from_time at time zone 'UTC')::date, coalesce(s.tenant, ''), -sum(missed)
      from put left join ${store.table('schedules')} s using (schedule_id) group by 1, 2)`;
  const { rows } = await sql<{ count: number }>`
    with given as materialized (
      select x.* from jsonb_populate_recordset(null::${like}, ${`[${lines.join(',')}]`}::jsonb) x
      cross join lateral (select ${purgedOf(store)} as purged offset 0) p
      where p.purged is null or ${isLater(store, what, month)}),
    ${what === 'gaps' ? subtracted : sql`put as (${put} returning 1)`}
    select count(*)::int as count from put`.execute(store.db);
  return rows[0]!.count;
}

/**
 * Whether a row `x` belongs to a schedule that was created again after a purge; `p.purged` describes the erased
 * schedule. The new schedule has larger versions and later gaps. The time of a letter decides nothing: a new backfill
 * may be earlier, and an old manual firing later. So a letter is restored if its firing is, and firings are restored
 * first.
 */
function isLater(store: Store, what: Archived, month: RestoredMonth): RawBuilder<boolean> {
  switch (what) {
    case 'firings':
      return sql`abs(x.schedule_version) > (p.purged ->> 'version')::int`;
    case 'gaps':
      return sql`x.from_time > (p.purged ->> 'answeredTo')::timestamptz`;
    case 'letters':
      return sql`exists (select from ${sql.id(store.schema, stagingOf(month))} f
        where f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time)`;
  }
}

/**
 * Attach a restored month to the firings, write its gaps and letters, and keep the month for some time from then on.
 * If somebody created the month again in the meantime, the restored rows are added to that table. Attaching waits for
 * no reader.
 *
 * @param staged the number of firings that were written into their new table
 * @param writeOthers writes the gaps and letters. A trigger's sweep would delete them if they were visible before the
 * month counts as restored, so one transaction does all of this
 * @returns what `writeOthers` returns, the number of firings that were restored, and until when the month stays
 */
export async function endRestore<Others>(
  store: Store,
  month: RestoredMonth,
  staged: number,
  keep: () => Keep,
  writeOthers: (transaction: Store) => Promise<Others>,
): Promise<Others & { firings: number; keptUntil: Date }> {
  const staging = sql.id(store.schema, stagingOf(month));
  const part = `firings_${month.month.replace('-', '')}`;
  return transact(store, async (transaction) => {
    const others = await writeOthers(transaction);
    await sql`lock table only ${store.table('firings')} in share update exclusive mode`.execute(transaction.db);
    const { rows } = await sql`select 1 as there where to_regclass(${`${store.schema}.${part}`}) is not null`.execute(
      transaction.db,
    );
    const counted = await isCounted(transaction, month);
    let firings = staged;
    if (rows.length > 0) {
      if (counted) await sql`select set_config('escapement.counted', 'yes', true)`.execute(transaction.db);
      const { numAffectedRows = 0n } =
        await sql`insert into ${store.table('firings')} select * from ${staging} on conflict do nothing`.execute(
          transaction.db,
        );
      firings = Number(numAffectedRows);
      await sql`drop table ${staging}`.execute(transaction.db);
    } else {
      await sql`alter table ${staging} rename to ${sql.id(part)}`.execute(transaction.db);
      await sql`alter table ${store.table('firings')} attach partition ${sql.id(store.schema, part)}
        for values from (${sql.lit(month.from.toISOString())}) to (${sql.lit(month.until.toISOString())})`.execute(
        transaction.db,
      );
      await countRestored(transaction, month, counted);
    }
    const keptUntil = await keepRestored(transaction, month.month, keep());
    return { ...others, firings, keptUntil };
  });
}

function stagingOf({ month }: RestoredMonth): string {
  return `restoring_firings_${month.replace('-', '')}`;
}
