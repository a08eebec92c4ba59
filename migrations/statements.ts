import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { Step } from './migration';
import { migrations } from './record';

/**
 * The statements of all migrations, in order, without a database. Index steps are given as JSON.
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
