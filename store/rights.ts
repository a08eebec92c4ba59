import { sql } from 'kysely';
import { MissingRightsError } from '../core/errors';
import type { Store } from './connection';
import { FUNCTION_GRANTS, TABLE_GRANTS } from './grants';

const CALLED = Object.entries(FUNCTION_GRANTS)
  .filter(([, callers]) => callers.includes('trigger'))
  .map(([name]) => name);

/**
 * Whether this role may write to the table `triggers`. Of the grants in `grants.ts`, only those for triggers allow such
 * writes.
 */
export async function isForTriggers(store: Store): Promise<boolean> {
  const { rows } = await sql<{ may: boolean | null }>`
    select has_table_privilege(to_regclass(${`${store.schema}.triggers`}), 'insert, update, delete') as may
  `.execute(store.db);
  return rows[0]?.may === true;
}

/**
 * Check that this role has all rights that a trigger needs, before a firing fails for lack of them. Missing tables and
 * functions are not reported here.
 *
 * @returns missing grants without which the trigger fires, but leaves other work undone
 * @throws {MissingRightsError} that lists every missing grant without which the trigger does not start
 */
export async function checkRights(store: Store): Promise<string[]> {
  const { schema } = store;
  const needed = Object.entries(TABLE_GRANTS).flatMap(([table, { trigger = [], triggerWhereItMay = [] }]) => [
    ...trigger.map((right) => ({ table, right, must: true })),
    ...triggerWhereItMay.map((right) => ({ table, right, must: false })),
  ]);
  // The statement reads the system catalogue, since names of tables cannot be resolved without the right to use the
  // schema.
  const { rows } = await sql<{ role: string; missing: string; must: boolean }>`
    select current_user as role, missing, must from (
      select 0 as place, true as must, format('usage on schema %I', nspname) as missing from pg_namespace
        where nspname = ${schema} and not has_schema_privilege(oid, 'usage')
      union all
      select 1, x.must, format('%s on %I.%I', string_agg(x.right, ', '), ${schema}::text, c.relname)
        from unnest(${needed.map(({ table }) => table)}::text[], ${needed.map(({ right }) => right)}::text[],
          ${needed.map(({ must }) => must)}::bool[]) as x (name, "right", must)
        join pg_class c on c.relname = x.name join pg_namespace n on n.oid = c.relnamespace and n.nspname = ${schema}
        where not has_table_privilege(c.oid, x.right) group by c.relname, x.must
      union all
      select 2, true, format('execute on function %s', p.oid::regprocedure)
        from pg_proc p join pg_namespace n on n.oid = p.pronamespace and n.nspname = ${schema}
        where p.proname = any(${CALLED}) and not has_function_privilege(p.oid, 'execute')) x
    order by place, missing`.execute(store.db);
  const must = rows.filter((row) => row.must);
  if (must.length === 0) return rows.map(({ missing }) => missing);
  throw new MissingRightsError(
    must[0]!.role,
    must.map(({ missing }) => missing),
  );
}
