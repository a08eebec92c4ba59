import type { Bench } from './bench';
import { significant } from './report/statistics';
import { type StartLoopRates, startLoopRates } from './start-loop-rate';

/** How many calls in flight to try, and how much work to try them with. */
export interface SweepSize {
  count: number;
  inFlight: readonly number[];
}

/** What was tried and the best of it: the concurrency that a contender is measured with. */
export interface Sweep {
  best: number;
  /** Rate a second by calls in flight. */
  tried: Record<number, number>;
}

/** The calls in flight at which `measure` gives the highest rate. The first try warms up and does not count. */
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

/** {@link sweep} of the plain start loop, by the rate that the scene compares. */
export async function sweepStartLoop(bench: Bench, by: keyof StartLoopRates, size: SweepSize): Promise<Sweep> {
  bench.progress('looking for the best concurrency of the plain start loop');
  return sweep(size, async (inFlight, count) => (await startLoopRates(bench, { count, inFlight }))[by]);
}

export function describeSweep(what: string, { best, tried }: Sweep): string {
  const rates = Object.entries(tried).map(([inFlight, rate]) => `${inFlight}: ${rate}/s`);
  return `${what}: ${best} in flight, the best of ${rates.join(', ')}.`;
}
