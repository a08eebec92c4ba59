import { join } from 'node:path';
import { Child } from './child';

const COMMAND = join(__dirname, '..', '..', 'dist', 'cli', 'main.js');
const PROGRAM = join(__dirname, 'trigger-main.ts');

/** `escapement run` in another process that writes its log to a file. Resolves when it fires. */
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
  /** Servers of namespaces that the server at `address` does not have. */
  namespaces?: Record<string, { connection: { address: string } }>;
  startsInFlight?: number;
  /** Whether to print the duration of each claim pass. */
  timeClaims?: boolean;
  /** Whether to print the event loop's delay since the start, each second. */
  timeEventLoop?: boolean;
}

/** The same, with more namespaces than the command's environment can name, or with timed claim passes. */
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
