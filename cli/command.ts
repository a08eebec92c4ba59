import { loadClientConnectConfig } from '@temporalio/envconfig';
import { CommanderError } from 'commander';
import { StaleRevisionError } from '../client/apply/apply-errors';
import { SchemaTooNewError } from '../core/errors';
import type { Environment } from './environment';
import { printSafely } from './output';
import { program } from './program';

const WRONG_USAGE = 2;
/** Apart from what may pass when it is tried again. */
const STALE = 2;
/** A supervisor that starts it again gains nothing. */
const LEFT_BEHIND = 3;

/** Variables by name, such as `process.env`. */
type Variables = Record<string, string | undefined>;

/** Carry a command out, with what it says of an error in one sentence. Its exit code is left in `process.exitCode`. */
export async function command(args: readonly string[], variables: Variables): Promise<void> {
  try {
    await program(environmentOf(variables)).parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

function environmentOf(variables: Variables): Environment {
  return {
    databaseUrl: variables.DATABASE_URL,
    schema: variables.ESCAPEMENT_SCHEMA,
    identity: variables.ESCAPEMENT_IDENTITY,
    tenant: variables.ESCAPEMENT_TENANT,
    logLevel: variables.ESCAPEMENT_LOG_LEVEL,
    noColor: variables.NO_COLOR,
    metricsPort: variables.ESCAPEMENT_METRICS_PORT,
    alertSecret: variables.ESCAPEMENT_ALERT_SECRET,
    pagerDutyKey: variables.ESCAPEMENT_PAGERDUTY_KEY,
    temporalAddress: variables.TEMPORAL_ADDRESS,
    namespaceProfiles: variables.ESCAPEMENT_NAMESPACE_PROFILES,
    temporal: (profile) => temporalConfigurationOf(variables, profile),
  };
}

/** A profile that is named is read from the file alone: TEMPORAL_ADDRESS and the like are of the one in force. */
function temporalConfigurationOf(variables: Variables, profile?: string): ReturnType<Environment['temporal']> {
  const named = profile === undefined ? {} : { profile, disableEnv: true };
  try {
    return loadClientConnectConfig({ ...named, overrideEnvVars: variables as Record<string, string> });
  } catch (error) {
    const { message } = error as Error;
    throw new Error(
      `Temporal's configuration cannot be read (${message}); check its file and ${profile === undefined ? 'TEMPORAL_PROFILE' : `the profile '${profile}'`}`,
    );
  }
}

/** Commander has printed its own errors; ours are one sentence, and never a stack trace. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
  printSafely(process.stderr, [`escapement: ${error instanceof Error ? error.message : String(error)}`]);
  if (error instanceof StaleRevisionError) return STALE;
  return error instanceof SchemaTooNewError ? LEFT_BEHIND : 1;
}
