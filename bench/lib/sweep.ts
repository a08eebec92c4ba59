import type { Bench } from './bench';
import { significant } from './report/statistics';
import { type StartLoopRates, startLoopRates } from './start-loop-rate';

/** The numbers of parallel calls that are tried, and the amount of work for each. */
export interface SweepSize {
  count: number;
  inFlight: readonly number[];
}

/** All tries, and the best number of parallel calls, with which a contender is then measured. */
export interface Sweep {
  best: number;
  /** The rate per second, by number of parallel calls. */
  tried: Record<number, number>;
}

/** Finds the number of parallel calls at which `measure` gives the highest rate. The first try only warms up. */
export async function sweep(
  size: SweepSize,
  measure: (inFlight: number, count: number) => Promise<number>,
): Promise<Sweep> {
  await measure(size.inFlight[0]!, size.count);
  const tried: Record<number, number> = {};
  for (const inFlight of size.inFlight) tried[inFlight] = significant(await measure(inFlight, size.count));
  const best = size.inFlight.reduce((one, other) => (tried[other]! > tried[one]! ? other : one));
  return { best, tried };
}

/**
 * A {@link sweep} of the plain start loop. `by` names the rate that the scene compares: that of starts or of
 * completions.
 */
export async function sweepStartLoop(bench: Bench, by: keyof StartLoopRates, size: SweepSize): Promise<Sweep> {
  bench.progress('looking for the best concurrency of the plain start loop');
  return sweep(size, async (inFlight, count) => (await startLoopRates(bench, { count, inFlight }))[by]);
}

export function describeSweep(what: string, { best, tried }: Sweep): string {
  const rates = Object.entries(tried).map(([inFlight, rate]) => `${inFlight}: ${rate}/s`);
  return `${what}: ${best} in flight, the best of ${rates.join(', ')}.`;
}
