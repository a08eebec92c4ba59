import type { Command } from 'commander';
import { migrate } from '../migrations';
import { openStore } from '../store/connection';
import { type DatabaseOptions, type Environment, postgresOf, withDatabase } from './environment';
import { printJson } from './output';

/** `escapement db migrate`. */
export function addDbCommands(program: Command, environment: Environment): void {
  const db = program.command('db').description('Look after the database.');
  withDatabase(db.command('migrate'))
    .description('Bring the schema to this version. Safe to run at every deploy, and by several at once.')
    .option('--json', 'print one line of JSON')
    .action(async (options: DatabaseOptions & { json?: boolean }) => {
      const applied = await migrateDatabase(postgresOf(environment, options));
      if (options.json) printJson({ applied });
      else console.log(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`);
    });
}

/** Migrate a database on connections of its own. */
export async function migrateDatabase(options: { connectionString: string; schema?: string }): Promise<string[]> {
  const store = openStore({ ...options, queryTimeoutMilliseconds: 0 });
  try {
    return await migrate(store.db as never, store.schema);
  } finally {
    await store.close();
  }
}
