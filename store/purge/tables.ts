import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../connection';

/** A table that contains rows of schedules or tenants. */
export interface PersonalTable {
  /** The name of the table. Each month of firings has a table of its own, also when retired. */
  name: string;
  /** The word for the table's rows in messages to people. */
  kind: string;
  bySchedule: boolean;
  byTenant: boolean;
}

/** Tables from which rows are erased last, so that a purge that was interrupted can still find the rest of its work. */
const LAST = ['schedules', 'schedule_versions', 'timers'];

/** Every table of the schema with a column for a schedule or a tenant, except `LAST`. */
export async function readPersonalTables(store: Store): Promise<PersonalTable[]> {
  const { rows } = await sql<{ name: string; bySchedule: boolean; byTenant: boolean }>`
    select c.relname as name, bool_or(a.attname = 'schedule_id') as "bySchedule", bool_or(a.attname = 'tenant') as "byTenant"
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attname in ('schedule_id', 'tenant') and not a.attisdropped
    where n.nspname = ${store.schema} and c.relkind = 'r' group by c.relname order by c.relname`.execute(store.db);
  return rows.filter(({ name }) => !LAST.includes(name)).map((row) => ({ ...row, kind: kindOf(row.name) }));
}

function kindOf(table: string): string {
  if (/(^|_)firings_\d/.test(table)) return 'firings';
  return table === 'dead_letters' ? 'letters' : table;
}

const PAGE = 1_000;

/**
 * Delete the rows of a table that match a condition, batch by batch, each in its own transaction. Rows in tables that
 * inherit from this table stay.
 */
export async function deletePages(store: Store, table: string, condition: RawBuilder<unknown>): Promise<number> {
  const name = sql.id(store.schema, table);
  for (let deleted = 0; ; ) {
    const { numAffectedRows = 0n } = await sql`delete from only ${name} where ctid = any (array(
      select ctid from only ${name} x where ${condition} limit ${PAGE}))`.execute(store.db);
    deleted += Number(numAffectedRows);
    if (Number(numAffectedRows) < PAGE) return deleted;
  }
}

export async function countRows(store: Store, table: string, condition: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::float8 as count from only ${sql.id(store.schema, table)} x where ${condition}`.execute(store.db);
  return rows[0]!.count;
}
