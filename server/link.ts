/** The header with the link to the next page, by RFC 8288; there is no header on the last page. */
export function linkToNext(
  { url, server }: { url: string; server: { basePath: string } },
  nextCursor: string | undefined,
): Record<string, string> {
  if (nextCursor === undefined) return {};
  // Behind an ingress the host is unknown, so the link names none.
  const next = new URL(url, 'http://localhost');
  next.searchParams.set('cursor', nextCursor);
  return { link: `<${server.basePath}${next.pathname}${next.search}>; rel="next"` };
}
