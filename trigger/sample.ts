/** Of fewer than this all are taken. */
const AT_LEAST = 10;
const SHARE = 0.1;

/**
 * A tenth of what runs, at random, so that each has its turn: thousands that wait for a worker, or work for hours, are not
 * asked for one by one at each look.
 */
export function takeSample<Item>(items: readonly Item[]): { sample: Item[]; others: Item[] } {
  const others = [...items];
  const size = Math.min(others.length, Math.max(AT_LEAST, Math.ceil(others.length * SHARE)));
  const sample = Array.from({ length: size }, () => others.splice(Math.floor(Math.random() * others.length), 1)[0]!);
  return { sample, others };
}
