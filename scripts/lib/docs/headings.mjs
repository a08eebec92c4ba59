/** The anchor of a heading, as GitHub generates it. The site generates the same. */
export function slugOf(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** All anchors of a page: its headings, with a number for repeated ones. */
export function anchorsOf(page) {
  const seen = new Map();
  return [...withoutCode(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => {
    const slug = slugOf(heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1'));
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  });
}

/** Targets of the links and pictures of a page. */
export function linksOf(page) {
  const text = withoutCode(page).replace(/`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)].map(([, target]) => target);
}

function withoutCode(page) {
  return page.replace(/^[ \t]*```[\s\S]*?^[ \t]*```[ \t]*$/gm, '');
}
