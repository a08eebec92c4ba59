import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../connection';
import { readMonths } from '../firings/retire-month';

const RESTORED = 'restored_months';

/** Restored months that must still stay, by name, such as `2026-01`. */
export async function readRestored(store: Store, now: Date): Promise<string[]> {
  const { rows } = await sql<{ month: string }>`${restoredMonths(store, now)}`.execute(store.db);
  return rows.map(({ month }) => month);
}

function restoredMonths(store: Store, now: Date): RawBuilder<{ month: string }> {
  return sql`select r.key as month from ${store.table('meta')} m, jsonb_each_text(m.value) r
    where m.key = ${RESTORED} and r.value::timestamptz > ${now}`;
}

/** True if the range from one column with an instant to another overlaps no restored month. */
export function isNotRestored(store: Store, now: Date, from: string, to: string): RawBuilder<boolean> {
  const month = (column: string) => sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM')`;
  return sql`not exists (select from (${restoredMonths(store, now)}) r
    where r.month between ${month(from)} and ${month(to)})`;
}

/** Keep a restored month until an instant. With `now` or an earlier instant, the month may be retired again at once. */
export async function keepRestored(store: Store, month: string, until: Date): Promise<void> {
  const kept = sql`jsonb_build_object(${month}::text, ${until}::timestamptz)`;
  await sql`insert into ${store.table('meta')} as m (key, value) values (${RESTORED}, ${kept})
    on conflict (key) do update set value = m.value || excluded.value`.execute(store.db);
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
  return past.filter((month) => !restored.has(month.toISOString().slice(0, 7)));
}

/** The end of the latest archived month; undefined if there is none. */
export async function readArchivedTo(store: Store): Promise<Date | undefined> {
  const { rows } = await sql<{ to: Date }>`
    select (value #>> '{}')::timestamptz as "to" from ${store.table('meta')} where key = 'archived_to'`.execute(
    store.db,
  );
  return rows[0]?.to;
}
