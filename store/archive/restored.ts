import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../connection';
import { readMonths } from '../firings/retire-month';

const RESTORED = 'restored_months';

/** Restored months that must still stay, by name, such as `2026-01`. */
export async function readRestored(store: Store, now: Date): Promise<string[]> {
  const { rows } = await sql<{ month: string }>`
    select r.month from (${restoredMonths(store)}) r where r.until > ${now}`.execute(store.db);
  return rows.map(({ month }) => month);
}

function restoredMonths(store: Store): RawBuilder<{ month: string; until: Date }> {
  return sql`select r.key as month, r.value::timestamptz as until
    from ${store.table('meta')} m, jsonb_each_text(m.value) r where m.key = ${RESTORED}`;
}

/**
 * True if the instant in a column lies after all restored months that are not archived again yet. Gaps and letters from
 * before such a month stay too: the month's former archive may contain them, and after a purge the month's next archive
 * replaces the former one.
 */
export function isNotRestored(store: Store, column: string): RawBuilder<boolean> {
  return sql`not exists (select from (${restoredMonths(store)}) r
    where r.month >= to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM'))`;
}

/** Restored months that are not archived again yet, by name, and whether each is retired again. */
export async function readUnarchived(store: Store): Promise<{ month: string; isRetired: boolean }[]> {
  const { rows } = await sql<{ month: string }>`select r.month from (${restoredMonths(store)}) r`.execute(store.db);
  const there = new Set((await readMonths(store)).map(nameOfMonth));
  return rows.map(({ month }) => ({ month, isRetired: !there.has(month) }));
}

/** Forget that months were restored, since they are archived again. */
export async function forgetRestored(store: Store, months: string[]): Promise<void> {
  await sql`update ${store.table('meta')} set value = value - ${months}::text[] where key = ${RESTORED}`.execute(
    store.db,
  );
}

export interface Keep {
  milliseconds: number;
  /** @default the database's clock */
  now: Date | undefined;
}

/** Keep a restored month for some time from now on. If it was restored before, this replaces the former time. */
export async function keepRestored(store: Store, month: string, { milliseconds, now }: Keep): Promise<Date> {
  const from = sql`coalesce(${now ?? null}::timestamptz, clock_timestamp())`;
  const until = sql`${from} + ${milliseconds}::float8 * interval '1 millisecond'`;
  const { rows } = await sql<{ until: Date }>`
    insert into ${store.table('meta')} as m (key, value) values (${RESTORED}, jsonb_build_object(${month}::text, ${until}))
    on conflict (key) do update set value = m.value || excluded.value
    returning (value ->> ${month})::timestamptz as until`.execute(store.db);
  return rows[0]!.until;
}

/** Months that ended before an instant, without restored ones that must still stay, oldest first. */
export async function readMonthsPast(
  store: Store,
  { endedBefore, now }: { endedBefore: number; now: Date },
): Promise<Date[]> {
  const months = await readMonths(store);
  const past = months.filter((month) => Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1) <= endedBefore);
  if (past.length === 0) return past;
  const restored = new Set(await readRestored(store, now));
  return past.filter((month) => !restored.has(nameOfMonth(month)));
}

function nameOfMonth(month: Date): string {
  return month.toISOString().slice(0, 7);
}

/** The end of the latest archived month; undefined if there is none. */
export async function readArchivedTo(store: Store): Promise<Date | undefined> {
  const { rows } = await sql<{ to: Date }>`
    select (value #>> '{}')::timestamptz as "to" from ${store.table('meta')} where key = 'archived_to'`.execute(
    store.db,
  );
  return rows[0]?.to;
}
