import { sql } from 'kysely';
import { InvalidOptionError, MissingRightsError } from '../core/errors';
import { holdLock } from './advisory-lock';
import type { Store } from './connection';
import { functionsOf, grantsFor, quoted, type RoleUse, rightsOn, TABLE_GRANTS, viewsOf } from './grants';
import type { Tables } from './tables';
import { transact } from './transaction';

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
  const tables = Object.entries(TABLE_GRANTS).flatMap(([table, { trigger = [], triggerWhereItMay = [] }]) => [
    ...trigger.map((right) => ({ table, right, must: true })),
    ...triggerWhereItMay.map((right) => ({ table, right, must: false })),
  ]);
  const rows = await missingRights(store, { tables, functions: functionsOf(['trigger']) });
  const must = rows.filter((row) => row.must);
  if (must.length === 0) return rows.map(({ missing }) => missing);
  throw new MissingRightsError(
    must[0]!.caller,
    must.map(({ missing }) => missing),
  );
}

/**
 * Grant a role all the rights of its uses or, if one grant fails, none.
 *
 * @throws {InvalidOptionError} if the role does not exist, or the caller may not grant all these rights
 */
export async function applyGrants(store: Store, role: string, uses: readonly RoleUse[]): Promise<string[]> {
  const grants = grantsFor(store.schema, role, uses);
  await transact(store, async (transaction) => {
    const { db } = transaction;
    const { rows } = await sql`select 1 as one from pg_roles where rolname = ${role}`.execute(db);
    if (rows.length === 0) {
      throw new InvalidOptionError(
        'role',
        `there is no role '${role}'; create it first: create role ${quoted(role)} login`,
      );
    }
    // Two transactions must not grant on one object at the same time: Postgres refuses that with "tuple concurrently
    // updated".
    await holdLock(transaction, 'grants');
    for (const grant of grants) await sql.raw(grant).execute(db);
    // Postgres refuses a grant only if the caller has no right at all on the object. Otherwise it only warns.
    const tables = (Object.keys(TABLE_GRANTS) as (keyof Tables)[]).flatMap((table) =>
      rightsOn(table, uses).map((right) => ({ table, right, must: true })),
    );
    const views = viewsOf(uses).map((table) => ({ table, right: 'select', must: true }));
    const missing = await missingRights(
      transaction,
      { tables: [...tables, ...views], functions: functionsOf(uses) },
      role,
    );
    if (missing.length === 0) return;
    const rights = missing.map((row) => row.missing).join('; ');
    throw new InvalidOptionError(
      'role',
      `${missing[0]!.caller} may not grant '${role}' ${rights}; connect as the owner of the schema`,
    );
  });
  return grants;
}

interface Needed {
  tables: { table: string; right: string; must: boolean }[];
  functions: string[];
}

/** The rights that a role lacks, in the form that follows `grant`. Without a role, those of the caller. */
async function missingRights({ db, schema }: Store, { tables, functions }: Needed, role?: string) {
  const checked = role === undefined ? sql`current_user` : sql`${role}::name`;
  // The statement reads the system catalogue, since names of tables cannot be resolved without the right to use the
  // schema.
  const { rows } = await sql<{ caller: string; missing: string; must: boolean }>`
    select current_user as caller, missing, must from (
      select 0 as place, true as must, format('usage on schema %I', nspname) as missing from pg_namespace
        where nspname = ${schema} and not has_schema_privilege(${checked}, oid, 'usage')
      union all
      select 1, x.must, format('%s on %I.%I', string_agg(x.right, ', '), ${schema}::text, c.relname)
        from unnest(${tables.map(({ table }) => table)}::text[], ${tables.map(({ right }) => right)}::text[],
          ${tables.map(({ must }) => must)}::bool[]) as x (name, "right", must)
        join pg_class c on c.relname = x.name join pg_namespace n on n.oid = c.relnamespace and n.nspname = ${schema}
        where not has_table_privilege(${checked}, c.oid, x.right) group by c.relname, x.must
      union all
      select 2, true, format('execute on function %s', p.oid::regprocedure)
        from pg_proc p join pg_namespace n on n.oid = p.pronamespace and n.nspname = ${schema}
        where p.proname = any(${functions}) and not has_function_privilege(${checked}, p.oid, 'execute')) x
    order by place, missing`.execute(db);
  return rows;
}
