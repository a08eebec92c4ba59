import { Client, Connection, type ConnectionOptions } from '@temporalio/client';
import type { Command } from 'commander';
import { EscapementClient } from '../client/client';
import type { S3Options } from '../owner/archive/s3';
import { passwordBy } from './database-password';

/** What the command reads from its environment, once. */
export interface Environment {
  databaseUrl: string | undefined;
  /** Prints the password for the database; empty or left out for none. */
  databasePasswordCommand?: string | undefined;
  schema: string | undefined;
  identity: string | undefined;
  /** The one tenant that commands see and write; empty or left out for all. */
  tenant: string | undefined;
  logLevel: string | undefined;
  /** Anything but empty: no colours, as https://no-color.org has it. */
  noColor?: string | undefined;
  /** Of the trigger process; empty or left out for none. */
  metricsPort: string | undefined;
  /** Signs what is sent to `--alert-webhook`; two with a space between during a rotation. */
  alertSecret?: string | undefined;
  /** The integration key of the PagerDuty service that `--alert-webhook pagerduty` tells. */
  pagerDutyKey?: string | undefined;
  /** Whose buckets `archive` reads and writes, as the tools of AWS read it. */
  s3?: S3Options | undefined;
  temporalAddress: string | undefined;
  /** Namespaces of Temporal on servers of their own, as `--namespace-profile` has them, with commas between. */
  namespaceProfiles: string | undefined;
  /** Temporal's own configuration, read when it is needed; of the profile in force unless one is named. */
  temporal(profile?: string): { connectionOptions: ConnectionOptions; namespace?: string };
}

/** Options of every command that needs the ledger. */
export interface DatabaseOptions {
  databaseUrl?: string;
  databasePasswordCommand?: string;
  schema?: string;
}

/** Options of every command that a client carries out. */
export interface ClientOptions extends DatabaseOptions {
  tenant?: string;
}

/** Add the options that name the ledger. */
export function withDatabase(command: Command): Command {
  return command
    .option('--database-url <url>', 'Postgres, such as postgres://user@host/database (default: DATABASE_URL)')
    .option(
      '--database-password-command <command>',
      'prints the password for the database, and is run by a shell for each new connection (default: ESCAPEMENT_DATABASE_PASSWORD_COMMAND, else what the URL has)',
    )
    .option('--schema <name>', 'Postgres schema (default: ESCAPEMENT_SCHEMA, else escapement)');
}

/** Add the options that name the ledger, and whose part of it. */
export function withTenant(command: Command): Command {
  return withDatabase(command).option(
    '--tenant <tenant>',
    'see and write the things of this tenant alone (default: ESCAPEMENT_TENANT, else all)',
  );
}

/**
 * Where the ledger lies, by option or environment.
 *
 * @throws {Error} when neither names it
 */
export function postgresOf(environment: Environment, options: DatabaseOptions) {
  const connectionString = options.databaseUrl ?? environment.databaseUrl;
  if (!connectionString) {
    throw new Error(
      "no database: set DATABASE_URL or give --database-url; 'escapement dev' starts one for development",
    );
  }
  if (!/^postgres(ql)?:\/\//.test(connectionString) || !URL.canParse(connectionString)) {
    throw new Error('the database URL cannot be read; use a form such as postgres://user:password@host:5432/database');
  }
  const password = passwordBy(options.databasePasswordCommand ?? environment.databasePasswordCommand);
  return { connectionString, ...(password && { password }), schema: options.schema ?? environment.schema };
}

/** Run `work` with a client, and close it whatever happens. */
export async function withClient<Result>(
  environment: Environment,
  options: ClientOptions,
  work: (client: EscapementClient) => Promise<Result>,
  temporal?: Client,
): Promise<Result> {
  const { namespace } = environment.temporal();
  // An empty ESCAPEMENT_TENANT, as a compose file leaves one, names none; an empty --tenant is what has no tenant.
  const tenant = options.tenant ?? (environment.tenant || undefined);
  const client = new EscapementClient({
    ...postgresOf(environment, options),
    identity: environment.identity,
    // An empty TEMPORAL_NAMESPACE, as a compose file leaves one, names none.
    namespace: namespace || undefined,
    temporal,
    ...(tenant === undefined ? {} : { tenant }),
  });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** {@link withClient}, which can also ask Temporal what a redrive would run again. */
export async function withClientOfTemporal<Result>(
  environment: Environment,
  options: ClientOptions,
  work: (client: EscapementClient) => Promise<Result>,
): Promise<Result> {
  // Connects at the first call: most commands make none.
  const connection = Connection.lazy(environment.temporal().connectionOptions);
  try {
    return await withClient(environment, options, work, new Client({ connection }));
  } finally {
    await connection.close();
  }
}
