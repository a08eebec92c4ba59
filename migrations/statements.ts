import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { Step } from './migration';
import { migrations } from './record';

/**
 * All statements of the migrations in order, without a database: they create this program's schema.
 *
 * @see `docs/tables.md`
 */
export function migrationStatements(schema: string): string[] {
  const db = new Kysely<never>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (instance) => new PostgresIntrospector(instance),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  const textsOf = (step: Step) =>
    'statements' in step ? step.statements.map((statement) => statement.compile(db).sql) : [JSON.stringify(step)];
  return Object.values(migrations(schema)).flatMap(({ steps }) => steps.flatMap(textsOf));
}
