/**
 * The sections of docs/README.md and the pages in them: the site's sidebar and llms.txt come from it.
 *
 * @param {string} text
 * @returns {{ title: string, pages: { title: string, file: string, about: string }[] }[]}
 */
export function readIndex(text) {
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.slice(0, section.indexOf('\n')),
      pages: [...section.matchAll(/^- \[([^\]]+)\]\(([^)]+)\): (.+(?:\n {2}.+)*)$/gm)].map(
        ([, title, file, about]) => ({
          title,
          file,
          about: about.replace(/\s+/g, ' '),
        }),
      ),
    }))
    .filter(({ pages }) => pages.length > 0);
}
