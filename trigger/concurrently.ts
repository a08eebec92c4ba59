/**
 * Run `work` over all items, at most `limit` at a time. The results are in the order of the items.
 *
 * @param stop once aborted, no further item begins, and the results of items that did not begin stay undefined
 * @throws the first error of an item, after which no further item begins, once all items that had begun have ended
 */
export async function concurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  stop: AbortSignal,
  work: (item: Item) => Promise<Result>,
): Promise<(Result | undefined)[]> {
  const results = new Array<Result | undefined>(items.length).fill(undefined);
  const errors: unknown[] = [];
  let next = 0;
  const lane = async () => {
    while (next < items.length && !stop.aborted && errors.length === 0) {
      const index = next++;
      try {
        results[index] = await work(items[index]!);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  if (errors.length > 0) throw errors[0];
  return results;
}

export function isDone<Result>(result: Result | undefined): result is Result {
  return result !== undefined;
}
