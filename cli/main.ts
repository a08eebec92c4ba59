#!/usr/bin/env node
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { Command, CommanderError } from 'commander';
import { StaleRevisionError } from '../client/apply-errors';
import { SchemaTooNewError } from '../core/errors';
import { version } from '../version';
import { addDbCommands } from './db';
import { addDeadLetterCommands } from './dead-letter';
import { addDevCommand } from './dev-command';
import type { Environment } from './environment';
import { addExplainCommand } from './explain';
import { addFiringCommands } from './firing';
import { printSafely } from './output';
import { addRunCommand } from './run';
import { addScheduleCommands } from './schedule';
import { addSourceCommands } from './source';
import { addStatsCommand } from './stats';

const WRONG_USAGE = 2;
/** Apart from what may pass when it is tried again. */
const STALE = 2;
/** A supervisor that starts it again gains nothing. */
const LEFT_BEHIND = 3;

/** The only reader of the environment of this command. */
function readEnvironment(): Environment {
  return {
    databaseUrl: process.env.DATABASE_URL,
    schema: process.env.ESCAPEMENT_SCHEMA,
    identity: process.env.ESCAPEMENT_IDENTITY,
    tenant: process.env.ESCAPEMENT_TENANT,
    logLevel: process.env.ESCAPEMENT_LOG_LEVEL,
    temporalAddress: process.env.TEMPORAL_ADDRESS,
    namespaceProfiles: process.env.ESCAPEMENT_NAMESPACE_PROFILES,
    temporal: readTemporalConfiguration,
  };
}

/** A profile that is named is read from the file alone: TEMPORAL_ADDRESS and the like are of the one in force. */
function readTemporalConfiguration(profile?: string): ReturnType<Environment['temporal']> {
  try {
    return loadClientConnectConfig(profile === undefined ? {} : { profile, disableEnv: true });
  } catch (error) {
    const { message } = error as Error;
    throw new Error(
      `Temporal's configuration cannot be read (${message}); check its file and ${profile === undefined ? 'TEMPORAL_PROFILE' : `the profile '${profile}'`}`,
    );
  }
}

function program(environment: Environment): Command {
  const command = new Command('escapement')
    .description('Guaranteed cron for Temporal.')
    .version(version)
    .exitOverride()
    .showHelpAfterError()
    .addHelpText(
      'after',
      `
Environment:
  DATABASE_URL           Postgres, such as postgres://user@host/database
  TEMPORAL_ADDRESS …     Temporal, as the Temporal CLI reads it (TEMPORAL_NAMESPACE, TEMPORAL_API_KEY, profiles)
  ESCAPEMENT_SCHEMA      Postgres schema (default: escapement)
  ESCAPEMENT_IDENTITY    who makes the changes (default: user@host)
  ESCAPEMENT_TENANT      the one tenant that commands see and write (default: all)
  ESCAPEMENT_LOG_LEVEL   trace, debug, info, warn or error (default: info)
  ESCAPEMENT_NAMESPACE_PROFILES
                         Temporal namespaces on servers of their own: billing=billing-profile,reports=…`,
    );
  addDevCommand(command, environment);
  addRunCommand(command, environment);
  addDbCommands(command, environment);
  addScheduleCommands(command, environment);
  addFiringCommands(command, environment);
  addDeadLetterCommands(command, environment);
  addExplainCommand(command, environment);
  addSourceCommands(command, environment);
  addStatsCommand(command, environment);
  return command;
}

/** Whoever reads our output may have read enough: `escapement schedule list | head -1` is no error. */
function endWithReader(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}

async function main(): Promise<void> {
  endWithReader(process.stdout);
  endWithReader(process.stderr);
  try {
    await program(readEnvironment()).parseAsync();
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

/** Commander has printed its own errors; ours are one sentence, and never a stack trace. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
  printSafely(process.stderr, [`escapement: ${error instanceof Error ? error.message : String(error)}`]);
  if (error instanceof StaleRevisionError) return STALE;
  return error instanceof SchemaTooNewError ? LEFT_BEHIND : 1;
}

void main();
