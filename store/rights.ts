import { sql } from 'kysely';
import { MissingRightsError } from '../core/errors';
import type { Store } from './connection';
import type { Tables } from './tables';

/** What a trigger does to each table. */
const NEEDED: Partial<Record<keyof Tables, string[]>> = {
  schedules: ['select', 'update'],
  schedule_versions: ['select'],
  timers: ['select', 'update'],
  firings: ['select', 'insert', 'update'],
  gaps: ['select', 'insert'],
  dead_letters: ['select', 'insert', 'update'],
  // Read and changed through `dead_letters`, which it inherits from; written to by itself.
  letters: ['insert'],
  triggers: ['select', 'insert', 'update', 'delete'],
  meta: ['select', 'insert', 'update'],
};
const CALLED = ['ensure_partition', 'retire_partition', 'incarnation'];

/**
 * Check that this role may do all that a trigger does, before a firing finds out. Of what is not there nothing is said.
 *
 * @throws {MissingRightsError} that lists every grant that is missing
 */
export async function checkRights(store: Store): Promise<void> {
  const { schema } = store;
  const needed = Object.entries(NEEDED).flatMap(([table, rights]) => rights.map((right) => ({ table, right })));
  // By the catalogue: without usage of the schema its names are not found.
  const { rows } = await sql<{ role: string; missing: string }>`
    select current_user as role, missing from (
      select 0 as place, format('usage on schema %I', nspname) as missing from pg_namespace
        where nspname = ${schema} and not has_schema_privilege(oid, 'usage')
      union all
      select 1, format('%s on %I.%I', string_agg(x.right, ', '), ${schema}::text, c.relname)
        from unnest(${needed.map(({ table }) => table)}::text[], ${needed.map(({ right }) => right)}::text[]) as x (name, "right")
        join pg_class c on c.relname = x.name join pg_namespace n on n.oid = c.relnamespace and n.nspname = ${schema}
        where not has_table_privilege(c.oid, x.right) group by c.relname
      union all
      select 2, format('execute on function %s', p.oid::regprocedure)
        from pg_proc p join pg_namespace n on n.oid = p.pronamespace and n.nspname = ${schema}
        where p.proname = any(${CALLED}) and not has_function_privilege(p.oid, 'execute')) x
    order by place, missing`.execute(store.db);
  if (rows.length === 0) return;
  throw new MissingRightsError(
    rows[0]!.role,
    rows.map(({ missing }) => missing),
  );
}
