import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../store/connection';
import type { BuildIndexStep, DropIndexStep } from './migration';
import { type MigrationRun, patiently, untilItWins } from './patience';

/** Build an index. What an interrupted run has left of the index is continued, or dropped and built again. */
export async function buildIndexStep(run: MigrationRun, step: BuildIndexStep): Promise<void> {
  const { store } = run;
  if (!(await isPartitioned(store, step.table))) return build(run, step, step.table, step.buildIndex);
  // Months that are created from now on get the index by LIKE. The index is valid once all months have it.
  await patiently(run, ({ db }) =>
    creation(store, step, sql`if not exists`, step.buildIndex, sql`only`, step.table).execute(db),
  );
  for (;;) {
    const partition = await partitionWithout(store, step);
    if (partition === undefined) return;
    try {
      const name = `${partition}_${step.buildIndex.replace(`${step.table}_`, '')}`;
      await build(run, step, partition, name);
      await patiently(run, ({ db }) =>
        sql`alter index ${sql.id(store.schema, step.buildIndex)} attach partition ${sql.id(store.schema, name)}`.execute(
          db,
        ),
      );
    } catch (error) {
      // The month may have been retired in the meantime.
      if ((await partitionWithout(store, step)) === partition) throw error;
    }
  }
}

/** Drop an index without making any reader or writer wait. */
export async function dropIndexStep({ store, holders }: MigrationRun, step: DropIndexStep): Promise<void> {
  await holders.during(() => dropConcurrently(store, step.dropIndex));
}

async function build(run: MigrationRun, step: BuildIndexStep, table: string, name: string): Promise<void> {
  const { store, holders, onProgress } = run;
  if ((await stateOf(store, name)) === 'valid') return;
  if (!(await hasRows(store, table)) && (await stateOf(store, name)) === 'none') {
    // The table is empty, so its index is built without `concurrently`. A build without `concurrently` does not wait
    // for readers.
    return patiently(run, ({ db }) => creation(store, step, sql``, name, sql``, table).execute(db));
  }
  onProgress(`Building index ${name} on ${table}.`);
  await untilItWins(run, async () => {
    // The remains of an interrupted index build are dropped: every write maintains them, and no read uses them.
    if ((await stateOf(store, name)) === 'invalid') await holders.during(() => dropConcurrently(store, name));
    await holders.during(() => creation(store, step, sql`concurrently`, name, sql``, table).execute(store.db));
  });
}

function creation(
  { schema }: Store,
  { unique, definition }: BuildIndexStep,
  how: RawBuilder<unknown>,
  name: string,
  only: RawBuilder<unknown>,
  table: string,
): RawBuilder<unknown> {
  const kind = unique ? sql`unique index` : sql`index`;
  return sql`create ${kind} ${how} ${sql.id(name)} on ${only} ${sql.id(schema, table)} ${sql.raw(definition)}`;
}

function dropConcurrently(store: Store, name: string): Promise<unknown> {
  return sql`drop index concurrently if exists ${sql.id(store.schema, name)}`.execute(store.db);
}

async function stateOf(store: Store, index: string): Promise<'none' | 'valid' | 'invalid'> {
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(${`${store.schema}.${index}`})`.execute(
    store.db,
  );
  if (rows.length === 0) return 'none';
  return rows[0]!.valid ? 'valid' : 'invalid';
}

async function isPartitioned(store: Store, table: string): Promise<boolean> {
  const { rows } = await sql<{ kind: string }>`
    select relkind as kind from pg_class where oid = to_regclass(${`${store.schema}.${table}`})`.execute(store.db);
  return rows[0]?.kind === 'p';
}

async function hasRows(store: Store, table: string): Promise<boolean> {
  const { rows } = await sql`select from ${sql.id(store.schema, table)} limit 1`.execute(store.db);
  return rows.length > 0;
}

/** The oldest partition that still lacks its part of a partitioned index. */
async function partitionWithout(store: Store, { table, buildIndex }: BuildIndexStep): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits t join pg_class c on c.oid = t.inhrelid
    where t.inhparent = to_regclass(${`${store.schema}.${table}`}) and not exists (
      select from pg_inherits i join pg_index x on x.indexrelid = i.inhrelid
      where i.inhparent = to_regclass(${`${store.schema}.${buildIndex}`}) and x.indrelid = c.oid)
    order by c.relname limit 1`.execute(store.db);
  return rows[0]?.name;
}
