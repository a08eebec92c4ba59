import { Trigger } from '../../trigger';
import { watchEventLoop } from './measure/event-loop';
import type { MeasuredTriggerOptions } from './trigger-process';

/** A claim pass, as the process prints it on one line. */
export interface TimedPass {
  /** The end of the pass, in milliseconds since 1970. */
  at: number;
  milliseconds: number;
  /** The number of due schedules; a pass without any is an idle poll. */
  due: number;
}

/**
 * Runs a trigger as `escapement run` does, but measures the time of its claim passes. The program's argument is the
 * options as JSON.
 */
async function main(argument: string): Promise<void> {
  const options: MeasuredTriggerOptions = JSON.parse(argument);
  const { databaseUrl, address, namespaces, startsInFlight, timeClaims } = options;
  const trigger = await Trigger.create({
    connectionString: databaseUrl,
    connection: { address },
    ...(namespaces && { namespaces }),
    ...(startsInFlight && { startsInFlight }),
  });
  if (timeClaims) {
    const claim = trigger.passes.claim;
    const timed: typeof claim = async (scope) => {
      const begun = performance.now();
      const result = await claim(scope);
      const pass: TimedPass = { at: Date.now(), milliseconds: performance.now() - begun, due: result.due };
      console.log(`pass ${JSON.stringify(pass)}`);
      return result;
    };
    trigger.passes.claim = async (scope) => {
      const result = await timed(scope);
      // The claim has left nothing due, so this pass measures an idle poll.
      if (result.due > 0 && !result.more) await timed(scope);
      return result;
    };
  }
  if (options.timeEventLoop) {
    const delay = watchEventLoop();
    setInterval(() => console.log(`event loop ${JSON.stringify(delay())}`), 1_000).unref();
  }
  process.once('SIGTERM', () => trigger.shutdown());
  await trigger.run();
}

void main(process.argv[2]!);
