import type { Bench } from './bench';
import { significant } from './report/statistics';
import { settle } from './settle';

/** What was measured in pairs, index by index. */
export interface Pairs {
  ours: number[];
  beside: number[];
}

/**
 * Measure both contenders `count` times in alternating order: rates per second. Each begins when the Temporal server is
 * idle by {@link settle}, so that one does not measure work that the other has left.
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
