/** As many schedules are asked for at once: some hundred a second, which a server of any size answers. */
const AT_ONCE = 16;

/** A list as it comes to those who take pages. */
export async function* listed<Item>(items: Item[]): AsyncGenerator<Item> {
  yield* items;
}

/** So many at a time; the last are fewer. */
export async function* chunksOf<Item>(items: AsyncIterable<Item>, count: number): AsyncGenerator<Item[]> {
  let chunk: Item[] = [];
  for await (const item of items) {
    chunk.push(item);
    if (chunk.length < count) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** Do something with each of a list that comes page by page, a few at a time. The first error stops it. */
export async function eachOf<Item>(items: AsyncIterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  let failed = false;
  const worker = async () => {
    while (!failed) {
      const next = await iterator.next();
      if (next.done) return;
      await work(next.value);
    }
  };
  const workers = Array.from({ length: AT_ONCE }, () =>
    worker().catch((error) => {
      failed = true;
      throw error;
    }),
  );
  const ended = await Promise.allSettled(workers);
  const bad = ended.find((one) => one.status === 'rejected');
  if (bad) throw bad.reason;
}
