/** What follows `#` in a link to a heading, as GitHub makes it: the site makes the same. */
export function slugOf(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** What links to a page may have behind `#`: its headings, of which one that comes again has a number. */
export function anchorsOf(page) {
  const seen = new Map();
  return [...withoutCode(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => {
    const slug = slugOf(heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1'));
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  });
}

/** Where the links and pictures of a page lead. */
export function linksOf(page) {
  const text = withoutCode(page).replace(/`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)].map(([, target]) => target);
}

function withoutCode(page) {
  return page.replace(/^[ \t]*```[\s\S]*?^[ \t]*```[ \t]*$/gm, '');
}
