import type { ConnectionOptions } from '@temporalio/client';
import type { Command } from 'commander';
import { EscapementClient } from '../client/client';
import type { TemporalClients } from '../client/client-options';
import type { S3Options } from '../owner/archive/s3';
import { passwordBy } from './database-password';

/** The environment variables of the command. An empty variable, as a compose file may leave it, counts as unset. */
export interface Environment {
  databaseUrl: string | undefined;
  databasePasswordCommand?: string | undefined;
  schema: string | undefined;
  identity: string | undefined;
  /** The tenant of commands that read and write one tenant; unset for all. `purge` and `token create` ignore it. */
  tenant: string | undefined;
  logLevel: string | undefined;
  /** Any value turns colours off, as https://no-color.org defines it. */
  noColor?: string | undefined;
  /** Metrics port of `run` and `serve`; unset for none. */
  metricsPort: string | undefined;
  /** Secret that signs requests to `--alert-webhook`; two secrets separated by a space during a rotation. */
  alertSecret?: string | undefined;
  /** Integration key of the PagerDuty service that receives the events of `--alert-webhook pagerduty`. */
  pagerDutyKey?: string | undefined;
  /** Credentials, region and endpoint for the S3 buckets of `archive`. */
  s3?: S3Options | undefined;
  temporalAddress: string | undefined;
  /** Temporal namespaces that are on other servers, in the form of `--namespace-profile`, separated by commas. */
  namespaceProfiles: string | undefined;
  /** Reads Temporal's own configuration. `profile` names another profile than the default one. */
  temporal(profile?: string): { connectionOptions: ConnectionOptions; namespace?: string };
}

export interface DatabaseOptions {
  databaseUrl?: string;
  databasePasswordCommand?: string;
  schema?: string;
}

export interface ClientOptions extends DatabaseOptions {
  tenant?: string;
}

export function withDatabase(command: Command): Command {
  return command
    .option('--database-url <url>', 'Postgres, such as postgres://user@host/database (default: DATABASE_URL)')
    .option(
      '--database-password-command <command>',
      'shell command that prints the password for the database, run for each new connection (default: ESCAPEMENT_DATABASE_PASSWORD_COMMAND, else the password in the URL)',
    )
    .option('--schema <name>', 'Postgres schema (default: ESCAPEMENT_SCHEMA, else escapement)');
}

export function withTenant(
  command: Command,
  description = 'read and write only this tenant (default: ESCAPEMENT_TENANT, else all tenants)',
): Command {
  return withDatabase(command).option('--tenant <tenant>', description);
}

/**
 * The connection to the ledger's database, from the options or the environment.
 *
 * @throws {Error} if neither the options nor the environment names a database, or the URL cannot be read
 */
export function postgresOf(environment: Environment, options: DatabaseOptions) {
  const connectionString = options.databaseUrl ?? environment.databaseUrl;
  if (!connectionString) {
    if (options.databaseUrl === '') throw new Error('--database-url is empty: give a URL, or leave the option out');
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

export async function withClient<Result>(
  environment: Environment,
  options: ClientOptions,
  work: (client: EscapementClient) => Promise<Result>,
  temporal?: TemporalClients,
): Promise<Result> {
  const { namespace } = environment.temporal();
  // An empty `--tenant` selects the schedules that have no tenant.
  const tenant = options.tenant ?? environment.tenant;
  const client = new EscapementClient({
    ...postgresOf(environment, options),
    identity: environment.identity,
    // If TEMPORAL_NAMESPACE is empty, as a compose file may leave it, it counts as unset.
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
