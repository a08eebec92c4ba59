import { sql } from 'kysely';
import type { Store } from '../store/connection';
import { versionOf } from './record';

/** The table with the names of the applied migrations, in the form that Kysely's migrator uses. */
const MIGRATIONS_TABLE = 'migrations';
const UNDER_WAY = 'migrating';

/** Names of a schema's applied migrations, in order. The schema and the table are created if they are missing. */
export async function readApplied(store: Store): Promise<string[]> {
  const table = sql.id(store.schema, MIGRATIONS_TABLE);
  const { rows: there } = await sql<{ schema: boolean; table: boolean }>`
    select to_regnamespace(${store.schema}) is not null as schema,
      to_regclass(${`${store.schema}.${MIGRATIONS_TABLE}`}) is not null as table`.execute(store.db);
  // The schema is checked first, since a role may own a schema without the right to create one.
  if (!there[0]!.schema) await sql`create schema ${sql.id(store.schema)}`.execute(store.db);
  if (!there[0]!.table) {
    await sql`create table ${table} (name varchar(255) primary key, timestamp varchar(255) not null)`.execute(store.db);
  }
  const { rows } = await sql<{ name: string }>`select name from ${table} order by name`.execute(store.db);
  return rows.map((row) => row.name);
}

/** The oldest program that the schema allows; undefined if none is recorded. */
export async function readOldestProgram(store: Store): Promise<number | undefined> {
  if (!(await hasMeta(store))) return undefined;
  const { rows } = await sql<{ oldest: number }>`
    select (value ->> 'oldestProgram')::int as oldest from ${store.table('meta')} where key = 'schema'`.execute(
    store.db,
  );
  return rows[0]?.oldest;
}

export async function raiseOldestProgram(transaction: Store, oldestProgram: number): Promise<void> {
  await sql`update ${transaction.table('meta')} set value = value || jsonb_build_object('oldestProgram', ${oldestProgram}::int)
    where key = 'schema'`.execute(transaction.db);
}

async function hasMeta(store: Store): Promise<boolean> {
  const { rows } = await sql`select where to_regclass(${`${store.schema}.meta`}) is not null`.execute(store.db);
  return rows.length > 0;
}

export async function readStepsDone(store: Store, name: string): Promise<number> {
  if (!(await hasMeta(store))) return 0;
  const { rows } = await sql<{ done: number }>`
    select (value ->> 'stepsDone')::int as done from ${store.table('meta')}
    where key = ${UNDER_WAY} and value ->> 'migration' = ${name}`.execute(store.db);
  return rows[0]?.done ?? 0;
}

export async function recordStep(transaction: Store, name: string, stepsDone: number): Promise<void> {
  await sql`insert into ${transaction.table('meta')} (key, value)
    values (${UNDER_WAY}, jsonb_build_object('migration', ${name}::text, 'stepsDone', ${stepsDone}::int))
    on conflict (key) do update set value = excluded.value`.execute(transaction.db);
}

/** The number of a completed migration becomes the schema's version. */
export async function recordApplied(transaction: Store, name: string): Promise<void> {
  const meta = transaction.table('meta');
  await sql`insert into ${sql.id(transaction.schema, MIGRATIONS_TABLE)} (name, timestamp)
    values (${name}, to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`.execute(
    transaction.db,
  );
  await sql`update ${meta} set value = value || jsonb_build_object('version', ${versionOf([name])}::int)
    where key = 'schema'`.execute(transaction.db);
  await sql`delete from ${meta} where key = ${UNDER_WAY}`.execute(transaction.db);
}
