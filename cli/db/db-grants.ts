import { type Command, InvalidArgumentError, Option } from 'commander';
import { grant, grantsFor, ROLE_USES, type RoleUse } from '../../owner/grants';
import { type DatabaseOptions, type Environment, postgresOf, withDatabase } from '../environment';
import { print, printJson } from '../output/output';

interface GrantsOptions extends DatabaseOptions {
  role: string;
  for?: RoleUse[];
  apply?: boolean;
  json?: boolean;
}

export function addGrantsCommand(db: Command, environment: Environment): void {
  withDatabase(db.command('grants'))
    .description('Print the rights that a role without ownership needs, or grant them as the owner of the schema.')
    .requiredOption('--role <role>', 'an existing role')
    .addOption(
      new Option('--for <use>', 'what the role is for; may be repeated (default: all of them)')
        .choices(ROLE_USES)
        .argParser(parseUse),
    )
    .option('--apply', 'grant these rights; repeat this after each db migrate, since new tables have no grants')
    .option('--json', 'print one line of JSON')
    .action(async (options: GrantsOptions) => {
      const grants = options.apply
        ? await grant(postgresOf(environment, options), options.role, options.for)
        : printed(environment, options);
      if (options.json) printJson({ role: options.role, applied: options.apply ?? false, grants });
      else if (options.apply) print(`Granted ${options.role} what ${(options.for ?? ROLE_USES).join(', ')} need.`);
      else print(grants.map((grant) => `${grant};`).join('\n'));
    });
}

function printed(environment: Environment, options: GrantsOptions): string[] {
  return grantsFor(options.schema ?? environment.schema ?? 'escapement', options.role, options.for);
}

function parseUse(value: string, previous: RoleUse[] = []): RoleUse[] {
  const use = ROLE_USES.find((one) => one === value);
  if (!use) throw new InvalidArgumentError(`use one of ${ROLE_USES.join(', ')}.`);
  return [...previous, use];
}
