import { join } from 'node:path';
import { Child } from './child';

const COMMAND = join(__dirname, '..', '..', 'dist', 'cli', 'main.js');
const PROGRAM = join(__dirname, 'trigger-main.ts');

/**
 * Starts `escapement run` in another process that writes its log to a file. The promise resolves when the trigger is
 * running.
 */
export async function startTrigger(servers: { databaseUrl: string; address: string }): Promise<Child> {
  const child = new Child('escapement run', [COMMAND, 'run'], {
    DATABASE_URL: servers.databaseUrl,
    TEMPORAL_ADDRESS: servers.address,
  });
  return running(child);
}

/** Options of {@link startMeasuredTrigger}. */
export interface MeasuredTriggerOptions {
  databaseUrl: string;
  address: string;
  /** The servers of namespaces that are not on the server at `address`. */
  namespaces?: Record<string, { connection: { address: string } }>;
  startsInFlight?: number;
  /** Whether the process prints the duration of each claim pass. */
  timeClaims?: boolean;
  /** Whether the process prints the event loop's delay since its start, each second. */
  timeEventLoop?: boolean;
}

/**
 * Like {@link startTrigger}, but with options that the command does not have, such as measuring the time of claim
 * passes.
 */
export async function startMeasuredTrigger(options: MeasuredTriggerOptions): Promise<Child> {
  return running(new Child('trigger', [PROGRAM, JSON.stringify(options)]));
}

async function running(child: Child): Promise<Child> {
  try {
    await child.says('trigger running');
    return child;
  } catch (error) {
    await child.stop();
    throw error;
  }
}
