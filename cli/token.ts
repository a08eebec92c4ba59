import { type Command, InvalidArgumentError, Option } from 'commander';
import { identityOf } from '../client/context';
import { type ApiToken, createToken, endToken, listTokens } from '../server/access/tokens';
import { SCOPES, type Scope } from '../server/caller';
import { type DatabaseOptions, type Environment, postgresOf, withDatabase } from './environment';
import { print, printJson, printTable, printTime } from './output/output';
import { report } from './schedule/schedule-commands';

type TokenOptions = DatabaseOptions & { json?: boolean };

export function addTokenCommands(program: Command, environment: Environment): void {
  const token = program.command('token').description('Manage the tokens of the HTTP API and their rights.');
  const actor = identityOf(environment.identity);

  withDatabase(token.command('create'))
    .description('Create a token, and print it once. The ledger stores only a hash of the token.')
    .argument('<name>', 'name that is recorded with its changes')
    .addOption(
      new Option(
        '--scope <scope>',
        'scope of the token; may be repeated. write registers and changes schedules, operate fires, pauses and freezes schedules, settles dead letters and acknowledges alerts',
      )
        .choices(SCOPES)
        .argParser(readScope)
        .makeOptionMandatory(),
    )
    .option('--tenant <tenant>', 'the one tenant that it can read and write (default: all)')
    .option('--expires-after <duration>', "such as '90 days' (default: never)")
    .option('--json', 'print JSON')
    .action(
      async (name: string, options: TokenOptions & { scope: Scope[]; tenant?: string; expiresAfter?: string }) => {
        const { scope: scopes, tenant, expiresAfter } = options;
        const made = await createToken(postgresOf(environment, options), { name, scopes, tenant, expiresAfter, actor });
        if (options.json) printJson(made);
        else print(made.token);
      },
    );

  withDatabase(token.command('list'))
    .description('List tokens, newest first, without the secret texts.')
    .option('--json', 'print JSON, one line a row')
    .action(async (options: TokenOptions) => {
      const tokens = await listTokens(postgresOf(environment, options));
      if (options.json) for (const one of tokens) printJson(one);
      else printTable(['TOKEN', 'SCOPES', 'TENANT', 'CREATED', 'BY', 'EXPIRES', 'REVOKED'], tokens.map(rowOf));
    });

  withDatabase(token.command('revoke'))
    .description('Revoke a token: its next request is refused.')
    .argument('<name>', 'name of the token')
    .option('--json', 'print JSON')
    .action(async (name: string, options: TokenOptions) => {
      const revoked = await endToken(postgresOf(environment, options), name, actor);
      report(options, revoked, `Token '${name}' is no longer valid.`);
    });
}

function rowOf({ name, scopes, tenant, createdAt, createdBy, expiresAt, revokedAt }: ApiToken) {
  const times = [printTime(createdAt), createdBy, printTime(expiresAt), printTime(revokedAt)];
  return [name, scopes.join(' '), tenant ?? 'all', ...times];
}

function readScope(text: string, former: Scope[] = []): Scope[] {
  const scope = SCOPES.find((one) => one === text);
  if (!scope) throw new InvalidArgumentError(`scopes are ${SCOPES.join(', ')}.`);
  return [...former, scope];
}
