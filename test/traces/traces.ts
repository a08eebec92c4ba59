import fc from 'fast-check';
import { type Command, command } from './commands';
import { play, type Trace } from './play';
import { traceSetup } from './setup';
import type { TemporalOnClock, TraceDatabase } from './world';

const STEPS = { least: 20, most: 32 };
const SHORT = { least: 6, most: 14 };

/** Which traces to play. */
export interface TraceRun {
  traces: number;
  /** Repeats a run. @default one by chance */
  seed?: number;
  /** Leads to the smallest trace that failed, as the failure says. */
  path?: string;
  /** Short ones, within what a real server can follow: it has a clock of its own. @default false */
  short?: boolean;
}

function tracesOf({ least, most }: typeof STEPS): fc.Arbitrary<Trace> {
  const commands = fc.array(command, { minLength: least, maxLength: most, size: 'max' });
  return fc.record({ setup: traceSetup, commands });
}

/**
 * No run times out by order, none is parked, and nothing is forgotten, since a real server would need the real time for
 * that. A real server also takes long to learn of a new namespace. Retried workflows complete in the end, unless they
 * are retried too often.
 */
function withinReach({ setup, commands }: Trace): Trace {
  const schedules = setup.schedules.map(({ refused, ...schedule }) => {
    const { takesSeconds, outcome, ignoresCancel, fails } = schedule.workflow;
    const { runsAtMost } = schedule;
    const mayFail = runsAtMost === undefined && outcome !== 'completed';
    const workflow = {
      ...{ takesSeconds, ignoresCancel, outcome: mayFail ? ('failed' as const) : ('completed' as const) },
      ...(runsAtMost === undefined || fails === undefined ? {} : { fails }),
    };
    return { ...schedule, workflow, ...(refused === 'searchAttribute' ? { refused } : {}) };
  });
  return {
    setup: { ...setup, schedules },
    commands: commands.map((one): Command => {
      if (one.do === 'advance') return { ...one, milliseconds: Math.min(one.milliseconds, 600_000) };
      if (one.do === 'advance periods') return { ...one, periods: Math.min(one.periods, 2) };
      if (one.do === 'park') return { do: 'nothing' };
      if (one.do === 'end' && one.outcome === 'timed_out') return { ...one, outcome: 'failed' };
      return one;
    }),
  };
}

/**
 * Play random traces, and shrink the first one that fails, unless they are short: a real server would take hours for
 * that.
 *
 * @throws {Error} with the trace, the seed and the path that repeat it
 */
export async function playTraces(
  database: TraceDatabase,
  { traces, seed, path, short = false }: TraceRun,
  temporal?: TemporalOnClock,
): Promise<void> {
  const trace = short ? tracesOf(SHORT).map(withinReach) : tracesOf(STEPS);
  const property = fc.asyncProperty(trace, (one) => play(database, one, temporal));
  await fc.assert(property, {
    numRuns: traces,
    ...(seed === undefined ? {} : { seed }),
    ...(path === undefined ? {} : { path }),
    endOnFailure: short || path !== undefined,
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

/** A readable trace, without steps that have no effect. */
function describeTrace({ setup, commands }: Trace): string {
  const steps = commands.filter((one: Command) => one.do !== 'nothing').map((one) => `  ${JSON.stringify(one)}`);
  return [JSON.stringify(setup), ...steps].join('\n');
}
