import type { Command } from 'commander';
import { migrate } from '../migrations';
import { type DatabaseOptions, type Environment, postgresOf, withDatabase } from './environment';
import { print, printJson } from './output';

/** `escapement db migrate`. */
export function addDbCommands(program: Command, environment: Environment): void {
  const db = program.command('db').description('Look after the database.');
  withDatabase(db.command('migrate'))
    .description('Bring the schema to this version. Safe to run at every deploy, and by several at once.')
    .option('--force', 'also where it leaves triggers behind that are alive; they stop by themselves')
    .option('--json', 'print one line of JSON')
    .action(async (options: DatabaseOptions & { json?: boolean; force?: boolean }) => {
      const applied = await migrate({
        ...postgresOf(environment, options),
        force: options.force,
        onProgress: console.error,
      });
      if (options.json) printJson({ applied });
      else print(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`);
    });
}
