/**
 * The cursor of the page that begins with the version `asked`, if that one or the one before is not on the first page.
 *
 * @param nextCursor the cursor of the first page, which is its last version
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
