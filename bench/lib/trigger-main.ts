import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Trigger } from '../../trigger';
import type { MeasuredTriggerOptions } from './trigger-process';

/** A claim pass, as a line of the output. */
export interface TimedPass {
  /** Milliseconds since 1970. */
  at: number;
  milliseconds: number;
  /** Schedules that were due; none is a tick. */
  due: number;
}

/** The event loop's delay since the start, in milliseconds, as a line of the output. */
export interface EventLoopDelay {
  p50: number;
  p99: number;
  max: number;
}

/** What `escapement run` does, and with its claim passes timed. Argument: options as JSON. */
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
      // Right after a claim nothing is due: what an idle poll costs now.
      if (result.due > 0 && !result.more) await timed(scope);
      return result;
    };
  }
  if (options.timeEventLoop) tellEventLoopDelay();
  process.once('SIGTERM', () => trigger.shutdown());
  await trigger.run();
}

/** A delay is what a timer of 10 ms is late. */
function tellEventLoopDelay(): void {
  const delay = monitorEventLoopDelay({ resolution: EVENT_LOOP_MILLISECONDS });
  delay.enable();
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - EVENT_LOOP_MILLISECONDS);
  setInterval(() => {
    const told: EventLoopDelay = {
      p50: late(delay.percentile(50)),
      p99: late(delay.percentile(99)),
      max: late(delay.max),
    };
    console.log(`event loop ${JSON.stringify(told)}`);
  }, 1_000).unref();
}

const EVENT_LOOP_MILLISECONDS = 10;

void main(process.argv[2]!);
