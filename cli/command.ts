import { type ConnectionOptions, isGrpcServiceError } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { CommanderError } from 'commander';
import { StaleRevisionError } from '../client/apply/apply-errors';
import { SchemaTooNewError } from '../core/errors';
import { adviceOn } from '../temporal/advice';
import { isFitKey, UNFIT_KEY, unfitHeader } from '../temporal/api-key';
import { whyUnreached } from '../temporal/connection';
import { withSources } from '../temporal/sources';
import type { Environment } from './environment';
import { printSafely } from './output/output';
import { program } from './program';

const WRONG_USAGE = 2;
/** The exit code of an apply whose revision is stale. */
const STALE = 2;
/** The exit code if the ledger's schema is too new for this program. */
const LEFT_BEHIND = 3;

type Variables = Record<string, string | undefined>;

/** Run a command. Its error is printed, and sets `process.exitCode`. */
export async function command(args: readonly string[], variables: Variables): Promise<void> {
  const environment = environmentOf(variables);
  try {
    await program(environment).parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = await exitCodeOf(error, environment);
  }
}

/** @param all the variables of the process. An empty variable, as a compose file may leave it, counts as unset. */
export function environmentOf(all: Variables): Environment {
  const variables: Variables = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
  return {
    databaseUrl: variables.DATABASE_URL,
    databasePasswordCommand: variables.ESCAPEMENT_DATABASE_PASSWORD_COMMAND,
    schema: variables.ESCAPEMENT_SCHEMA,
    identity: variables.ESCAPEMENT_IDENTITY,
    tenant: variables.ESCAPEMENT_TENANT,
    logLevel: variables.ESCAPEMENT_LOG_LEVEL,
    noColor: variables.NO_COLOR,
    metricsPort: variables.ESCAPEMENT_METRICS_PORT,
    alertSecret: variables.ESCAPEMENT_ALERT_SECRET,
    pagerDutyKey: variables.ESCAPEMENT_PAGERDUTY_KEY,
    s3: {
      accessKeyId: variables.AWS_ACCESS_KEY_ID,
      secretAccessKey: variables.AWS_SECRET_ACCESS_KEY,
      sessionToken: variables.AWS_SESSION_TOKEN,
      region: variables.AWS_REGION ?? variables.AWS_DEFAULT_REGION,
      endpoint: variables.AWS_ENDPOINT_URL_S3 ?? variables.AWS_ENDPOINT_URL,
    },
    temporalAddress: variables.TEMPORAL_ADDRESS,
    namespaceProfiles: variables.ESCAPEMENT_NAMESPACE_PROFILES,
    temporal: (profile) => temporalConfigurationOf(variables, profile),
  };
}

/** A key or a header that cannot be sent. Its message names where the value comes from, and never the value. */
class UnfitKeyError extends Error {}

/** If `profile` is given, variables such as TEMPORAL_ADDRESS do not override its values. */
function temporalConfigurationOf(variables: Variables, profile?: string): ReturnType<Environment['temporal']> {
  const named = profile === undefined ? {} : { profile, disableEnv: true };
  const set = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined));
  try {
    const configuration = loadClientConnectConfig({ ...named, overrideEnvVars: set as Record<string, string> });
    const { connectionOptions, namespace } = configuration;
    const { apiKey, metadata } = connectionOptions;
    // Without `profile`, a variable overrides the file. Advice about a missing value then names the variable.
    const sourceOf = (value: unknown, variable: string, key: string) =>
      profile === undefined && (value === undefined || variable in set)
        ? variable
        : `the ${key} of the profile '${profile ?? set.TEMPORAL_PROFILE ?? 'default'}'`;
    const sources = {
      namespace: sourceOf(namespace, 'TEMPORAL_NAMESPACE', 'namespace'),
      apiKey: sourceOf(apiKey, 'TEMPORAL_API_KEY', 'api_key'),
    };
    if (typeof apiKey === 'string' && !isFitKey(apiKey)) throw new UnfitKeyError(`${sources.apiKey} ${UNFIT_KEY}`);
    const header = unfitHeader(metadata);
    if (header !== undefined) throw new UnfitKeyError(`the header '${header}' for Temporal ${UNFIT_KEY}`);
    return { ...configuration, connectionOptions: withSources(connectionOptions, sources) };
  } catch (error) {
    if (error instanceof UnfitKeyError) throw error;
    const { message, line, column } = error as Error & { line?: number; column?: number };
    // Further lines of the parser's message quote the file, which may contain keys.
    const problem = message.split('\n')[0]!.trim();
    const place = line === undefined ? '' : `, line ${line}, column ${column}`;
    throw new Error(
      `Temporal's configuration cannot be read (${problem}${place}); check its file and ${profile === undefined ? 'TEMPORAL_PROFILE' : `the profile '${profile}'`}`,
    );
  }
}

async function messageOf(error: unknown, environment: Environment): Promise<string> {
  const message = error instanceof Error ? error.message : String(error);
  // The messages of Temporal's client mostly do not say what to do. Those about a trigger's connections do, and their
  // cause is no error of that client.
  if (!isGrpcServiceError((error as { cause?: unknown } | null)?.cause) && !isGrpcServiceError(error)) return message;
  const { connectionOptions = environment.temporal().connectionOptions } = error as {
    connectionOptions?: ConnectionOptions;
  };
  const known = adviceOn(error, connectionOptions);
  const advice = known && ((await whyUnreached(connectionOptions)) ?? known);
  return advice ? `${advice.says}; ${advice.toDo}` : message;
}

/** Commander, which parses the arguments, has already printed its own errors. */
async function exitCodeOf(error: unknown, environment: Environment): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
  printSafely(process.stderr, [`escapement: ${await messageOf(error, environment)}`]);
  if (error instanceof StaleRevisionError) return STALE;
  return error instanceof SchemaTooNewError ? LEFT_BEHIND : 1;
}
