import type { Bench } from './bench';
import { significant } from './report/statistics';
import { settle } from './settle';

/** Values of two contenders that were measured in pairs, index by index. */
export interface Pairs {
  ours: number[];
  beside: number[];
}

/**
 * Measures both contenders `count` times in alternating order; the values are rates per second. Each measurement begins
 * only when {@link settle} finds the Temporal server idle. So it does not include work that the other contender has
 * left.
 */
export async function inPairs(
  { progress, servers }: Bench,
  count: number,
  measure: { ours(): Promise<number>; beside(): Promise<number> },
): Promise<Pairs> {
  const pairs: Pairs = { ours: [], beside: [] };
  for (let pair = 0; pair < count; pair++) {
    for (const side of pair % 2 === 0 ? (['ours', 'beside'] as const) : (['beside', 'ours'] as const)) {
      await settle(servers, 0);
      pairs[side].push(await measure[side]());
    }
    const [ours, beside] = [pairs.ours[pair]!, pairs.beside[pair]!].map((rate) => significant(rate));
    progress(`pair ${pair + 1} of ${count}: ours ${ours}/s, beside ${beside}/s`);
  }
  return pairs;
}
