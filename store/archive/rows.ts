import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../connection';
import type { RetiredMonth } from './months';

const PAGE = 500;

export const ARCHIVED = ['firings', 'gaps', 'letters'] as const;
export type Archived = (typeof ARCHIVED)[number];

/** The end of the latest archived month, and when that month was archived last. */
export interface ArchivedBefore {
  until: Date;
  archivedAt: Date;
}

/**
 * Yields rows as JSON lines, in batches from a cursor, so that only one batch is in memory. The rows of one kind are
 * read in one transaction, so they all show the same instant. Gaps and letters of months that have no table of firings
 * are archived with the next archived month. So are gaps and letters that were written after their month was archived.
 */
export async function* readRows(
  store: Store,
  what: Archived,
  month: RetiredMonth,
  before: ArchivedBefore | undefined,
): AsyncGenerator<string[]> {
  await sql`begin isolation level repeatable read read only`.execute(store.db);
  try {
    await sql`declare archived no scroll cursor for
      select row_to_json(x)::text as line from (${rowsOf(store, what, month, before)}) x`.execute(store.db);
    for (;;) {
      const { rows } = await sql<{ line: string }>`fetch ${sql.lit(PAGE)} from archived`.execute(store.db);
      if (rows.length > 0) yield rows.map(({ line }) => line);
      if (rows.length < PAGE) break;
    }
  } finally {
    await sql`rollback`.execute(store.db);
  }
}

function rowsOf(
  store: Store,
  what: Archived,
  { table, from, until }: RetiredMonth,
  before: ArchivedBefore | undefined,
): RawBuilder<unknown> {
  // The statement of a cursor cannot have parameters, so the instant is written into its text.
  const at = (instant: Date) => sql`${sql.lit(instant.toISOString())}::timestamptz`;
  const isNew = (last: string, written: string) =>
    before === undefined
      ? sql`true`
      : sql`(${sql.ref(last)} >= ${at(before.until < from ? before.until : from)} or ${sql.ref(written)} >= ${at(before.archivedAt)})`;
  switch (what) {
    case 'firings':
      return sql`select * from ${sql.id(store.schema, table)}`;
    case 'gaps':
      return sql`select * from ${store.table('gaps')} where from_time < ${at(until)} and ${isNew('to_time', 'recorded_at')}`;
    case 'letters':
      return sql`select * from ${store.table('dead_letters')}
        where scheduled_time < ${at(until)} and ${isNew('scheduled_time', 'updated_at')}`;
  }
}
