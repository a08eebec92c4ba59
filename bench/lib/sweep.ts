import type { Bench } from './bench';
import { allCompleted } from './histories';
import { freshName } from './names';
import { startAll } from './starts';
import { significant } from './statistics';

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

/** {@link sweep} of the plain start loop, by the rate of its answers. */
export async function sweepStartLoop({ connection, servers, progress }: Bench, size: SweepSize): Promise<Sweep> {
  progress('looking for the best concurrency of the plain start loop');
  return sweep(size, async (inFlight, count) => {
    const starts = { namespace: servers.namespace, prefix: freshName('sweep'), count, inFlight };
    const { perSecond } = await startAll(connection, starts);
    await allCompleted(connection, starts);
    return perSecond;
  });
}

export function describeSweep(what: string, { best, tried }: Sweep): string {
  const rates = Object.entries(tried).map(([inFlight, rate]) => `${inFlight}: ${rate}/s`);
  return `${what}: ${best} in flight, the best of ${rates.join(', ')}.`;
}
