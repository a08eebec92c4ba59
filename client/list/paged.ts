import { sizeOf } from './cursor';

/**
 * An async iterable of items that are read page by page. `read` receives the last item so far, and returns fewer than
 * `size` items on the last page.
 */
export async function* paged<Item>(
  pageSize: number | undefined,
  read: (last: Item | undefined, size: number) => Promise<Item[]>,
): AsyncGenerator<Item> {
  const size = sizeOf(pageSize);
  let last: Item | undefined;
  for (;;) {
    const page = await read(last, size);
    yield* page;
    if (page.length < size) return;
    last = page.at(-1);
  }
}
