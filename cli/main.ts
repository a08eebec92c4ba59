#!/usr/bin/env node
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { CommanderError } from 'commander';
import { StaleRevisionError } from '../client/apply-errors';
import { SchemaTooNewError } from '../core/errors';
import type { Environment } from './environment';
import { printSafely } from './output';
import { program } from './program';

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
