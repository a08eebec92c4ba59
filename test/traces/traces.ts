import fc from 'fast-check';
import { type Command, command } from './commands';
import { play, type Trace } from './play';
import { traceSetup } from './setup';
import type { TraceDatabase } from './world';

const STEPS = { least: 20, most: 32 };

/** Which traces to play. */
export interface TraceRun {
  traces: number;
  /** Repeats a run. @default one by chance */
  seed?: number;
  /** Leads to the smallest trace that failed, as the failure says. */
  path?: string;
}

const trace: fc.Arbitrary<Trace> = fc.record({
  setup: traceSetup,
  commands: fc.array(command, { minLength: STEPS.least, maxLength: STEPS.most, size: 'max' }),
});

/**
 * Play random traces, and shrink the first that fails.
 *
 * @throws {Error} with the trace, the seed and the path that repeat it
 */
export async function playTraces(database: TraceDatabase, { traces, seed, path }: TraceRun): Promise<void> {
  const property = fc.asyncProperty(trace, (one) => play(database, one));
  await fc.assert(property, {
    numRuns: traces,
    ...(seed === undefined ? {} : { seed }),
    ...(path === undefined ? {} : { path, endOnFailure: true }),
    interruptAfterTimeLimit: 600_000,
    reporter: (details) => {
      if (!details.failed) return;
      const [smallest] = details.counterexample ?? [];
      throw new Error(
        [
          `trace ${details.numRuns} fails: ${(details.errorInstance as Error | undefined)?.message}`,
          smallest && describeTrace(smallest),
          `repeat it with seed ${details.seed} and path ${details.counterexamplePath}`,
        ].join('\n'),
        { cause: details.errorInstance },
      );
    },
  });
}

/** A trace as it is to be read: without the steps that do nothing. */
function describeTrace({ setup, commands }: Trace): string {
  const steps = commands.filter((one: Command) => one.do !== 'nothing').map((one) => `  ${JSON.stringify(one)}`);
  return [JSON.stringify(setup), ...steps].join('\n');
}
