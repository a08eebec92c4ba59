import { type Kysely, Migrator } from 'kysely';
import { migrations } from './record';

/** Names of the tables in which Kysely keeps what was applied. */
const MIGRATION_TABLE = 'migrations';
const MIGRATION_LOCK_TABLE = 'migrations_lock';

/**
 * Bring a database to this program's schema. Runs are serialised by a lock, so that several deploys may call it at once.
 *
 * @returns names of the migrations that were applied now, in order
 */
export async function migrate(db: Kysely<unknown>, schema: string): Promise<string[]> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations(schema) },
    migrationTableSchema: schema,
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: MIGRATION_LOCK_TABLE,
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error) throw error;
  return (results ?? []).filter((result) => result.status === 'Success').map((result) => result.migrationName);
}
