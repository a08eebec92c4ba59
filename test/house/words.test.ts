import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
// @ts-expect-error: a script has no types
import { proseOfMarkdown, rowsOfMarkdown } from '../../scripts/lib/prose/markdown.mjs';
import { docPages } from '../support/pages/doc-pages';

/**
 * The words of docs/ at commit 54270796, before its pages were written again for users: counted as here. The new pages say
 * more, and must not take longer to read. Who adds a page shortens others, or gives the reason here.
 */
const WORDS_AT_MOST = 57_429;
/** README.md is one screen: what it is, one picture, two commands, some code, and where to go on. */
const README_WORDS_AT_MOST = 450;

/** What scripts write: whole pages, what follows a mark, and what stands between two of them. */
const GENERATED = [
  /^# .*\n\n<!-- written by `npx tsx scripts\/[\s\S]*$/,
  /<!-- [\w ]+: begin -->[\s\S]*?<!-- [\w ]+: end -->/g,
  /<!-- counts: written by [\s\S]*?<!-- end of counts -->/g,
];

type Block = { text: string };

/** How many words of a page a person wrote, except code and comments. */
function wordsOf(blocks: Block[]): number {
  const words = blocks.flatMap(({ text }) => text.split(/\s+/));
  return words.filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

function wordsOfPage(page: string): number {
  const written = GENERATED.reduce((text, part) => text.replace(part, ''), page);
  return wordsOf([...proseOfMarkdown(written), ...rowsOfMarkdown(written)]);
}

it('docs/ has no more words than before its pages were written again', () => {
  const counted = docPages()
    .filter(({ file }) => file.startsWith('docs/'))
    .map(({ file, text }) => ({ file, words: wordsOfPage(text) }));
  expect(counted.length).toBeGreaterThan(60);
  const all = counted.reduce((sum, { words }) => sum + words, 0);
  expect(all, `the longest: ${longest(counted)}`).toBeLessThanOrEqual(WORDS_AT_MOST);
});

function longest(counted: { file: string; words: number }[]): string {
  const sorted = counted.toSorted((one, other) => other.words - one.words).slice(0, 5);
  return sorted.map(({ file, words }) => `${file} ${words}`).join(', ');
}

it('README.md is short: one picture at most, and few words', () => {
  const readme = readFileSync(resolve(__dirname, '../..', 'README.md'), 'utf8');
  expect(readme.match(/<img |!\[/g)?.length ?? 0).toBeLessThanOrEqual(1);
  expect(wordsOf(proseOfMarkdown(readme))).toBeLessThanOrEqual(README_WORDS_AT_MOST);
});

it('counts prose and rows, and neither code nor what scripts write', () => {
  const page = [
    '# A title\n\nThree short words, `and some code`.',
    '| a | row |\n| --- | --- |',
    '```sh\nnot counted\n```',
    '<!-- alert rules: begin -->\n| not | counted |\n<!-- alert rules: end -->',
    '<!-- From here on written by a script. -->\n\nNot counted.',
  ].join('\n\n');
  expect(wordsOfPage(page)).toBe(10);
  expect(wordsOfPage('# A page\n\n<!-- written by `npx tsx scripts/a.ts` -->\n\nNot counted.')).toBe(0);
});
