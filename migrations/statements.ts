import {
  DummyDriver,
  Kysely,
  type LogEvent,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type { Tables } from '../store/tables';
import { migrations } from './record';

/**
 * Every statement of every migration, in order, without a database: what a schema of this program is made by.
 *
 * @see `docs/tables.md`
 */
export async function migrationStatements(schema: string): Promise<string[]> {
  const statements: string[] = [];
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (instance) => new PostgresIntrospector(instance),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: (event: LogEvent) => {
      statements.push(event.query.sql);
    },
  });
  for (const migration of Object.values(migrations(schema))) await migration.up(db);
  return statements;
}
