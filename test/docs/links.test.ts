import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { expect, it } from 'vitest';
// @ts-expect-error: a script has no types
import { anchorsOf, linksOf } from '../../scripts/lib/docs/headings.mjs';
// @ts-expect-error: a script has no types
import { readIndex } from '../../scripts/lib/docs/index-page.mjs';
import { docPages } from '../support/pages/doc-pages';

const ROOT = resolve(__dirname, '../..');
const pages = docPages();

interface IndexSection {
  title: string;
  pages: { title: string; file: string; about: string }[];
}

it('the index has each page of docs/ once, with a line of what it is about', () => {
  const index: IndexSection[] = readIndex(pages.find(({ file }) => file === 'docs/README.md')!.text);
  const listed = index.flatMap((section) => section.pages.map(({ file }) => `docs/${file}`));
  const there = pages.map(({ file }) => file).filter((file) => /^docs\//.test(file) && file !== 'docs/README.md');
  expect(listed.toSorted()).toEqual(there.toSorted());
  const lines = pages.find(({ file }) => file === 'docs/README.md')!.text.match(/^- /gm);
  expect(lines).toHaveLength(listed.length);
});

it('each link of a page leads to a file that is there, and to a heading that it has', () => {
  const broken = pages.flatMap(({ file, text }) =>
    (linksOf(text) as string[])
      .filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(file, link))
      .map((link) => `${file}: ${link}`),
  );
  expect(broken).toEqual([]);
});

it('no page has a link in the form that only comments of code have', () => {
  expect(pages.filter(({ text }) => text.includes('{@link')).map(({ file }) => file)).toEqual([]);
});

function leadsSomewhere(from: string, link: string): boolean {
  const [path, anchor] = link.split('#') as [string, string | undefined];
  const target = path === '' ? from : posix.join(posix.dirname(from), path);
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || anchorsOf(readFileSync(join(ROOT, target), 'utf8')).includes(anchor);
}

it('each page and heading that code, messages, alerts and deployments name is there', () => {
  const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
  const named = files
    .filter((file) => /\.(m?tsx?|mjs|ya?ml|json)$/.test(file) && !/^(package-lock|test\/docs)/.test(file))
    .flatMap((file) => read(file).match(/\bdocs\/[\w-]+\.md(?:#[\w-]+)?/g) ?? []);
  expect(new Set(named).size).toBeGreaterThan(30);
  expect([...new Set(named)].filter((link) => !leadsSomewhere('README.md', link))).toEqual([]);
});

function read(file: string): string {
  return existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), 'utf8') : '';
}
