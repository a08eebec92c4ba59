import { Command, InvalidArgumentError } from 'commander';
import { demo } from './demo';
import { stopSignal } from './signals';

/** Only this function reads the command line and the environment of the demo. */
async function main(): Promise<void> {
  const { seconds } = new Command('npm run demo --')
    .description(
      'Three schedules at work on real servers, a trigger killed in mid-flight, and what becomes of its claims.',
    )
    .option('--seconds <count>', 'end this long after the first claim (default: at Ctrl-C)', parseSeconds)
    .addHelpText(
      'after',
      `
Environment:
  DATABASE_URL      a Postgres to use instead of one of the demo's own; the demo makes and drops schemas of its own in it
  TEMPORAL_ADDRESS  host:port of a Temporal server to use, if it answers`,
    )
    .parse()
    .opts<{ seconds?: number }>();
  try {
    process.exitCode = await demo({
      seconds,
      databaseUrl: process.env.DATABASE_URL,
      temporalAddress: process.env.TEMPORAL_ADDRESS,
      environment: process.env,
      stop: stopSignal({ startedByNpm: process.env.npm_lifecycle_event !== undefined }),
    });
  } catch (error) {
    console.error(`demo: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
  // Everything was stopped. Exit explicitly, in case a handle is still open.
  setTimeout(() => process.exit(), 3_000).unref();
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!Number.isFinite(seconds) || seconds <= 0) throw new InvalidArgumentError('Give a number of seconds above 0.');
  return seconds;
}

void main();
