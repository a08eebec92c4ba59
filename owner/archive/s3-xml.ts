/** The few things that an archive reads of S3's answers. They are flat, and keys come percent-encoded. */

/** A part of the list of keys, and where the next one begins. */
export function listing(xml: string): { keys: string[]; next: string | undefined } {
  const keys = [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) =>
    decodeURIComponent(key!.replaceAll('+', ' ')),
  );
  const isCut = textOf(xml, 'IsTruncated') === 'true';
  return { keys, next: isCut ? textOf(xml, 'NextContinuationToken') : undefined };
}

/** The text of the first element of a name. */
export function textOf(xml: string, element: string): string | undefined {
  const [, text] = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml) ?? [];
  return text
    ?.replaceAll('&quot;', '"')
    .replaceAll('&#34;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** The error that an answer tells, in words; undefined of one that tells none. */
export function errorIn(xml: string): string | undefined {
  if (!/<Error>|<Error /.test(xml)) return undefined;
  return [textOf(xml, 'Code'), textOf(xml, 'Message')].filter(Boolean).join(': ');
}
