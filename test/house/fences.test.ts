import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { docBlocks, docPages } from '../support/pages/doc-pages';

const ROOT = resolve(__dirname, '../..');
const pages = docPages();

/** The languages whose blocks a test reads on every page. */
const READ_EVERYWHERE: Record<string, string> = {
  ts: 'test/docs/samples.test.ts',
  sh: 'test/docs/shell.test.ts',
  bash: 'test/docs/shell.test.ts',
  sql: 'test/docs/sql.test.ts',
};
const SNIPPETS = 'test/long/pages/api-snippets.test.ts';
const LANGUAGES = 'test/long/pages/firing-snippets.test.ts';
/** Other blocks, by page and language: the test that reads them. */
const READ_BY: Record<string, string> = {
  'docs/alerts.md json': 'test/docs/outputs.test.ts',
  'docs/api.md text': SNIPPETS,
  'docs/audit.md text': 'test/docs/outputs.test.ts',
  'docs/choosing.md text': 'test/long/pages/choosing-page.test.ts',
  'docs/commands.md text': 'test/docs/docs.test.ts',
  'docs/tutorial.md text': 'test/long/pages/tutorial.test.ts',
  'docs/architecture.md mermaid': 'test/docs/docs.test.ts',
  ...{ 'docs/api.md go': SNIPPETS, 'docs/api.md java': SNIPPETS, 'docs/api.md python': SNIPPETS },
  ...{ 'docs/moving.md go': SNIPPETS, 'docs/moving.md java': SNIPPETS, 'docs/moving.md python': SNIPPETS },
  'docs/other-languages.md go': LANGUAGES,
  'docs/other-languages.md java': LANGUAGES,
  'docs/other-languages.md python': LANGUAGES,
};

/** The first line of each block, as its indented fence with what follows it. */
function openingFences(text: string): { line: number; info: string }[] {
  const found: { line: number; info: string }[] = [];
  let isOpen = false;
  for (const [index, line] of text.split('\n').entries()) {
    const [, info] = /^\s*(?:[-*>] |\d+\. )?\s*(?:`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (info === undefined) continue;
    if (!isOpen) found.push({ line: index + 1, info: info.trim() });
    isOpen = !isOpen;
  }
  return found;
}

it('no fence of a page is without a language, and the checks of blocks see each', () => {
  const fences = pages.flatMap(({ file, text }) => openingFences(text).map((fence) => ({ file, ...fence })));
  expect(fences.length).toBeGreaterThan(200);
  expect(fences.filter(({ info }) => info === '')).toEqual([]);
  const seen = new Set(docBlocks(pages).map(({ file, line }) => `${file}:${line}`));
  expect(fences.filter(({ file, line }) => !seen.has(`${file}:${line}`))).toEqual([]);
});

it('each block is in a language that a test reads, on every page or on this one', () => {
  const others = docBlocks(pages)
    .map(({ file, info }) => ({ file, language: info.split(' ')[0]! }))
    .filter(({ language }) => !(language in READ_EVERYWHERE))
    .map(({ file, language }) => `${file} ${language}`);
  expect([...new Set(others)].sort()).toEqual(Object.keys(READ_BY).sort());
  for (const [block, test] of Object.entries(READ_BY)) {
    expect(existsSync(join(ROOT, test)), test).toBe(true);
    const [page] = block.split(' ');
    const name = basename(page!, '.md');
    // docs.test.ts compares docs/commands.md as a whole.
    expect(readFileSync(join(ROOT, test), 'utf8'), `${test} does not read ${page}`).toMatch(
      new RegExp(`\\b${name}\\b`),
    );
  }
  for (const test of Object.values(READ_EVERYWHERE)) expect(existsSync(join(ROOT, test)), test).toBe(true);
});
