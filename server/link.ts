/** The header that leads to the next page, as RFC 8288 has it; none after the last one. */
export function linkToNext(
  { url, server }: { url: string; server: { basePath: string } },
  nextCursor: string | undefined,
): Record<string, string> {
  if (nextCursor === undefined) return {};
  // The host is not known behind an ingress: a reference by path leads there all the same.
  const next = new URL(url, 'http://localhost');
  next.searchParams.set('cursor', nextCursor);
  return { link: `<${server.basePath}${next.pathname}${next.search}>; rel="next"` };
}
