import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { ROOT } from '../project.mjs';
import { entryPoints } from './entry-points.mjs';
import { readIndex } from './index-page.mjs';
import { referencePages } from './reference.mjs';

/** Pages outside of docs/, and their places in the site. */
const OUTSIDE = { 'CHANGELOG.md': 'changelog.md', 'CONTRIBUTING.md': 'contributing.md', 'bench/README.md': 'bench.md' };

/** The place of each page in the site, by its place in this repository. */
export function sitePages() {
  const inside = (folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => posix.join(folder, name));
  const ofDocs = [...inside('docs'), ...inside('docs/decisions')].map((file) => [
    file,
    file === 'docs/README.md' ? 'index.md' : posix.relative('docs', file),
  ]);
  return Object.fromEntries([...ofDocs, ...Object.entries(OUTSIDE)]);
}

/** Copy the pages to where the generator reads them, with links that work there. */
export function writeSitePages(folder) {
  rmSync(folder, { recursive: true, force: true });
  const pages = sitePages();
  // A link to the source of an entry of the package leads to the reference of that entry.
  const linked = { ...pages, ...Object.fromEntries(entryPoints().map(({ source, page }) => [source, page])) };
  for (const [file, page] of Object.entries(pages)) {
    write(join(folder, page), pageOf(file, page, linked));
  }
  cpSync(join(ROOT, 'docs/images'), join(folder, 'images'), { recursive: true });
  for (const name of picturesOfTheBench()) cpSync(join(ROOT, 'bench/results', name), join(folder, 'results', name));
  cpSync(join(ROOT, 'docs/schemas'), join(folder, 'public/schemas'), { recursive: true });
}

/** Additional files of the site: each page as Markdown, and `llms.txt`. */
export function writeMarkdownBeside(pagesFolder, site) {
  const pages = [...Object.values(sitePages()), ...referencePages(pagesFolder)];
  const texts = new Map(pages.map((page) => [page, readFileSync(join(pagesFolder, page), 'utf8')]));
  for (const [page, text] of texts) write(join(site, page), text);
  const index = readIndex(texts.get('index.md'));
  const lines = index.flatMap(({ title, pages: listed }) => [
    `## ${title}\n`,
    ...listed.map((one) => `- [${one.title}](${one.file}): ${one.about}`),
    '',
  ]);
  const entries = entryPoints().map(({ name, page }) => `- [${name}](${page}): ${aboutOf(texts.get(page))}`);
  const [, about] = /^# .+\n\n([\s\S]+?)\n\n/.exec(texts.get('index.md'));
  write(
    join(site, 'llms.txt'),
    `# Escapement\n\n> ${about.replace(/\s+/g, ' ')}\n\n${[...lines, '## The TypeScript API\n', ...entries].join('\n')}\n`,
  );
  const whole = index.flatMap(({ pages: listed }) =>
    listed.map(({ file }) => `<!-- ${file} -->\n\n${texts.get(file)}`),
  );
  write(join(site, 'llms-full.txt'), whole.join('\n\n'));
}

/** The first paragraph of a page of the reference. */
function aboutOf(text) {
  return /^# .+\n\n(.+(?:\n.+)*)$/m.exec(text)[1].replace(/\s+/g, ' ');
}

function pageOf(file, page, pages) {
  const text = readFileSync(join(ROOT, file), 'utf8').replace(/[ \t]*<!--[\s\S]*?-->/g, '');
  // Skip code samples, where a text may only look like a link.
  return text
    .split(/(^[ \t]*```[\s\S]*?^[ \t]*```[ \t]*$|`[^`\n]*`(?!\]))/m)
    .map((part, at) => (at % 2 === 1 ? part : withLinksOf(part, file, page, pages)))
    .join('');
}

function withLinksOf(text, file, page, pages) {
  return text.replace(/(!?)\[((?:`[^`]*`|[^\]])*)\]\(([^)\s]+)\)/g, (link, picture, shown, target) => {
    if (/^(?:[a-z]+:|#)/.test(target)) return link;
    const [path, anchor] = target.split('#');
    const there = posix.join(posix.dirname(file), path);
    const known = pages[there];
    if (known) {
      const to = posix.relative(posix.dirname(page), known);
      return `${picture}[${shown}](${to}${anchor ? `#${anchor}` : ''})`;
    }
    if (/^(docs\/(images|schemas)|bench\/results)\//.test(there)) return link;
    // A file of the repository that is not part of the site.
    return shown;
  });
}

function picturesOfTheBench() {
  return readdirSync(join(ROOT, 'bench/results')).filter((name) => name.endsWith('.svg'));
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
