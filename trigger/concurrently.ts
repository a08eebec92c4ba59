/**
 * Run `work` over all items, at most `limit` at a time. The results are in the order of the items.
 *
 * @param stop once aborted, no further item begins, and the results of items that did not begin stay undefined
 */
export async function concurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  stop: AbortSignal,
  work: (item: Item) => Promise<Result>,
): Promise<(Result | undefined)[]> {
  const results = new Array<Result | undefined>(items.length).fill(undefined);
  let next = 0;
  const lane = async () => {
    while (next < items.length && !stop.aborted) {
      const index = next++;
      results[index] = await work(items[index]!);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  return results;
}

export function isDone<Result>(result: Result | undefined): result is Result {
  return result !== undefined;
}
