/** Parses the few parts of S3's answers that an archive needs. */

export function listing(xml: string): { keys: string[]; next: string | undefined } {
  const keys = [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) =>
    decodeURIComponent(key!.replaceAll('+', ' ')),
  );
  const isCut = textOf(xml, 'IsTruncated') === 'true';
  return { keys, next: isCut ? textOf(xml, 'NextContinuationToken') : undefined };
}

export function textOf(xml: string, element: string): string | undefined {
  const [, text] = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml) ?? [];
  return text
    ?.replaceAll('&quot;', '"')
    .replaceAll('&#34;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** The error in S3's answer, in words; undefined if it contains none. */
export function errorIn(xml: string): string | undefined {
  if (!/<Error>|<Error /.test(xml)) return undefined;
  return [textOf(xml, 'Code'), textOf(xml, 'Message')].filter(Boolean).join(': ');
}
