import { type Kysely, Migrator, sql } from 'kysely';
import { SchemaTooNewError } from '../core/errors';
import { migrations } from './record';

/** Names of the tables in which Kysely keeps what was applied. */
const MIGRATION_TABLE = 'migrations';
const MIGRATION_LOCK_TABLE = 'migrations_lock';

/**
 * Bring a database to this program's schema. Runs are serialised by a lock, so that several deploys may call it at once.
 *
 * @returns names of the migrations that were applied now, in order
 * @throws {SchemaTooNewError} when a newer program migrated it; nothing was changed
 */
export async function migrate(db: Kysely<unknown>, schema: string): Promise<string[]> {
  const known = migrations(schema);
  await refuseNewer(db, schema, Object.keys(known));
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => known },
    migrationTableSchema: schema,
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: MIGRATION_LOCK_TABLE,
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error) throw error;
  return (results ?? []).filter((result) => result.status === 'Success').map((result) => result.migrationName);
}

/** Kysely would call the migrations corrupted. */
async function refuseNewer(db: Kysely<unknown>, schema: string, known: string[]): Promise<void> {
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
