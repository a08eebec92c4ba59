import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Store } from '../connection';

export interface RetiredMonth {
  table: string;
  tableOid: number;
  /** The first instant of the month. */
  from: Date;
  /** The first instant of the next month. */
  until: Date;
  /** More than 1 if an earlier retired table of the month was still there when this table was retired. */
  turn: number;
}

/** An archived table of a month: the place and the name of its files, and how many rows of each kind they have. */
export interface ArchiveRow {
  place: string;
  name: string;
  month: Date;
  tableOid: number;
  firings: number;
  gaps: number;
  letters: number;
  archivedAt: Date;
  droppedAt: Date | null;
}

/** Reads the retired months that are still in the database, oldest first. */
export async function readRetiredMonths(store: Store): Promise<RetiredMonth[]> {
  const { rows } = await sql<{ name: string; oid: number }>`
    select c.relname as name, c.oid::bigint::float8 as oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${store.schema} and c.relkind = 'r' and c.relname ~ '^archived_firings_\\d{6,}(_\\d+)?$'`.execute(
    store.db,
  );
  return rows
    .map(({ name, oid }) => retiredMonth(name, oid))
    .sort((one, other) => one.from.getTime() - other.from.getTime() || one.turn - other.turn);
}

function retiredMonth(table: string, tableOid: number): RetiredMonth {
  const [, year, month, turn] = /_(\d{4,})(\d\d)(?:_(\d+))?$/.exec(table)!;
  return {
    table,
    tableOid,
    from: new Date(Date.UTC(Number(year), Number(month) - 1)),
    until: new Date(Date.UTC(Number(year), Number(month))),
    turn: Number(turn ?? 1),
  };
}

/** Reads the recorded archives, sorted by the time of archiving and by name. */
export async function readArchives(store: Store): Promise<ArchiveRow[]> {
  const { rows } = await sql<ArchiveRow>`
    select place, name, month::timestamp at time zone 'UTC' as month, table_oid::float8 as "tableOid", firings::float8 as firings,
      gaps::float8 as gaps, letters::float8 as letters, archived_at as "archivedAt", dropped_at as "droppedAt"
    from ${store.table('archives')} order by archived_at, name`.execute(store.db);
  return rows;
}

/** Record a month that was archived and verified. A table has one record for each place of an archive: the
 * first one, also if the table was changed since and archived again. */
export async function recordArchive(
  store: Store,
  row: Omit<ArchiveRow, 'archivedAt' | 'droppedAt' | 'month'> & { month: RetiredMonth; now: Date },
): Promise<void> {
  const { month, now } = row;
  await sql`insert into ${store.table('archives')}
      (archive_id, place, name, month, table_oid, firings, gaps, letters, archived_at)
    values (${randomUUID()}, ${row.place}, ${row.name}, ${dateOf(month.from)}::date, ${row.tableOid}, ${row.firings},
      ${row.gaps}, ${row.letters}, ${now})
    on conflict do nothing`.execute(store.db);
  // If the ledger archives months first, only gaps and letters from before this time are deleted.
  await sql`insert into ${store.table('meta')} as m (key, value) values ('archived_to', to_jsonb(${month.until}::timestamptz))
    on conflict (key) do update set value = excluded.value
      where (m.value #>> '{}')::timestamptz < (excluded.value #>> '{}')::timestamptz`.execute(store.db);
}

function dateOf(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

export async function countRetired(store: Store, { table }: RetiredMonth): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::float8 as count from ${sql.id(store.schema, table)}`.execute(store.db);
  return rows[0]!.count;
}

/** Returns false, and drops nothing, if the month does not have exactly as many firings as were archived. */
export async function dropRetired(
  store: Store,
  month: RetiredMonth,
  { firings, now }: { firings: number; now: Date },
): Promise<boolean> {
  if ((await countRetired(store, month)) !== firings) return false;
  await sql`drop table ${sql.id(store.schema, month.table)}`.execute(store.db);
  // After a dump and load, another month's row may have the same OID.
  await sql`update ${store.table('archives')} set dropped_at = ${now}
    where table_oid = ${month.tableOid} and month = ${dateOf(month.from)}::date and dropped_at is null`.execute(
    store.db,
  );
  return true;
}
