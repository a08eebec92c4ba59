import { type Kysely, Migrator, sql } from 'kysely';
import { SchemaTooNewError } from '../core/errors';
import { openStore, type PostgresOptions } from '../store/connection';
import type { Tables } from '../store/tables';
import { migrations } from './record';

/** Names of the tables in which Kysely keeps what was applied. */
const MIGRATION_TABLE = 'migrations';
const MIGRATION_LOCK_TABLE = 'migrations_lock';

/**
 * Bring a database to this program's schema. Runs are serialised by a lock, so that several deploys may call it at once;
 * statements may take as long as they need.
 *
 * @returns names of the migrations that were applied now, in order
 * @throws {PostgresUnreachableError} when Postgres does not answer
 * @throws {SchemaTooNewError} when a newer program migrated it; nothing was changed
 * @see `docs/tables.md`
 */
export async function migrate(options: PostgresOptions): Promise<string[]> {
  const store = openStore({ queryTimeoutMilliseconds: 0, ...options }, { bounded: false });
  try {
    // One connection for all of it, under a lock of its own: Kysely's lies in a table that must be created first.
    return await store.db.connection().execute(async (connection) => {
      const name = `escapement migrate ${store.schema}`;
      await sql`select pg_advisory_lock(hashtext(${name}))`.execute(connection);
      try {
        return await migrateLocked(connection, store.schema);
      } finally {
        await sql`select pg_advisory_unlock(hashtext(${name}))`.execute(connection);
      }
    });
  } finally {
    await store.close();
  }
}

async function migrateLocked(db: Kysely<Tables>, schema: string): Promise<string[]> {
  const known = migrations(schema);
  await refuseNewer(db, schema, Object.keys(known));
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => known },
    migrationTableSchema: schema,
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: MIGRATION_LOCK_TABLE,
  });
  const applied: string[] = [];
  for (const { name, executedAt } of await migrator.getMigrations()) {
    if (executedAt) continue;
    // Each in a transaction of its own: what one locks is free again before the next begins.
    const { error, results } = await migrator.migrateTo(name);
    if (error) throw error;
    applied.push(...(results ?? []).map((result) => result.migrationName));
  }
  return applied;
}

/** Kysely would call the migrations corrupted. */
async function refuseNewer(db: Kysely<Tables>, schema: string, known: string[]): Promise<void> {
  const { rows: tables } = await sql`select 1 where to_regclass(${`${schema}.${MIGRATION_TABLE}`}) is not null`.execute(
    db,
  );
  if (tables.length === 0) return;
  const { rows } = await sql<{ name: string }>`select name from ${sql.id(schema, MIGRATION_TABLE)}
    where not name = any(${known}) order by name`.execute(db);
  if (rows.length === 0) return;
  throw new SchemaTooNewError(
    `schema '${schema}' was migrated by a newer program (${rows.map((row) => row.name).join(', ')}); upgrade the escapement package`,
  );
}
