const AT_ONCE = 16;

export async function* listed<Item>(items: Item[]): AsyncGenerator<Item> {
  yield* items;
}

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

/** After the first error, no further item is requested from the stream. */
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
