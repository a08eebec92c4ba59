/**
 * The cursor of the page that begins with the version `asked`; undefined if the first page has this version and the
 * version before it.
 *
 * @param nextCursor the cursor of the first page: the number of the last version on it
 */
export function olderThan({
  asked,
  nextCursor,
}: {
  asked: string | null;
  nextCursor: string | undefined;
}): number | undefined {
  const version = Number(asked);
  if (nextCursor === undefined || !Number.isInteger(version) || version < 1) return undefined;
  return version <= Number(nextCursor) ? version + 1 : undefined;
}
