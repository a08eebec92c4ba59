import { expect, it } from 'vitest';
// @ts-expect-error: a script has no types
import { proseOfCode, proseOfHashComments, proseOfLines } from '../../scripts/lib/prose/code.mjs';
// @ts-expect-error: a script has no types
import { proseOfMarkdown, rowsOfMarkdown } from '../../scripts/lib/prose/markdown.mjs';
// @ts-expect-error: a script has no types
import { sentencesOf } from '../../scripts/lib/prose/sentences.mjs';
// @ts-expect-error: a script has no types
import { replacedWords } from '../../scripts/lib/prose/words.mjs';
// @ts-expect-error: a script has no types
import { proseProblems } from '../../scripts/lint-prose.mjs';

interface Sentence {
  text: string;
  line: number;
  words: number;
}

const sentences = (blocks: object[]) => (blocks.flatMap(sentencesOf) as Sentence[]).map(({ text }) => text);

it('no sentence of pages, code, messages and help is over 35 words, and none has a word that the glossary replaces', () => {
  expect(proseProblems()).toEqual([]);
});

it('reads headings, paragraphs and items of a page, its tables apart, and neither code nor what is generated', () => {
  const page = [
    '# A title\n\nFirst, with [a link](time.md#jitter). Then `a.b. c` and\n**more**. escapement run follows.',
    '- an item\n  that goes on\n- another',
    '| a table | of words |\n| --- | --- |',
    '```ts\n// a sample\n```',
    '<!-- a note -->\n<!-- results: begin -->\nMeasured.\n<!-- results: end -->\nThe end.',
    '<!-- From here on written by a script. -->\n\nMore.',
  ].join('\n\n');
  expect(sentences(proseOfMarkdown(page))).toEqual([
    'A title',
    'First, with a link.',
    'Then `a.b. c` and more.',
    'escapement run follows.',
    'an item that goes on',
    'another',
    'The end.',
  ]);
  expect(rowsOfMarkdown(page)).toEqual([
    { text: '| a table | of words |', line: 10 },
    { text: '| --- | --- |', line: 11 },
  ]);
  const [, , third] = proseOfMarkdown(page).flatMap(sentencesOf) as Sentence[];
  expect(third).toMatchObject({ line: 3, words: 4 });
});

it.each([
  ['a.sql', '-- Run it once.\ncreate role one; -- It owns nothing.', ['Run it once.', 'It owns nothing.']],
  ['A.tla', '(*****)\n(* One firing. *)\nA == 1 \\* The row.', ['One firing.', 'The row.']],
  ['a.css', '/* What a mark says. */\na { color: red }', ['What a mark says.']],
  ['a.json', '{ "description": "None: nothing fires.", "title": "Firings" }', ['None: nothing fires.']],
])('reads what people read in %s', (file, source, read) => {
  expect(sentences(proseOfLines(file, source))).toEqual(read);
});

it.each([
  ['with --yes: write without asking', true],
  ['where it says what to do', true],
  ['grant these rights; repeat this for more', true],
  ['set TEMPORAL_ADDRESS to the address', true],
  ['with old as (select 1) select one', false],
  ['grant select on table one to two', false],
  ['where l.state = x and y', false],
  ['set local lock_timeout = two', false],
])('takes %j for prose: %s', (text, isProse) => {
  expect(sentences(proseOfCode('a.ts', `const one = '${text}';`, { strings: true }))).toEqual(isProse ? [text] : []);
});

it('reads docstrings, comments and what strings say, and neither statements of SQL nor directives', () => {
  const source = [
    '/**\n * What it is. Default `1`.\n *\n * @param one the first, e.g. 1\n * @returns nothing\n */',
    '// biome-ignore lint: for a reason',
    '// A comment\n// of two lines.',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a template
    "throw new Error(`the schedule '${id}' is not there; ` + 'create it first');",
    'const query = sql`select what is in the table`;',
    "const other = 'select one of many rows';",
  ].join('\n');
  const found = proseOfCode('a.ts', source, { strings: true });
  expect(sentences(found)).toEqual([
    'What it is.',
    'Default `1`.',
    'one the first, e.g. 1',
    'nothing',
    'A comment of two lines.',
    "the schedule 'x' is not there; create it first",
  ]);
  expect(sentences(proseOfCode('a.ts', source, { strings: false }))).toHaveLength(5);
  expect(sentences(proseOfHashComments('a: 1\n  # Of YAML\n  # too.\nb: 2'))).toEqual(['Of YAML too.']);
});

it('names what is to be written in place of a word, in tables too, and leaves code alone', () => {
  expect(replacedWords('All are asked, but for the last.')).toEqual([{ word: 'but for', instead: 'except' }]);
  expect(replacedWords('It is `put off`, and looked up.')).toEqual([]);
  const [row] = rowsOfMarkdown('| `anew` | it was counted anew |\n<!-- a: begin -->\n| anew |\n<!-- a: end -->');
  expect(replacedWords(row.text)).toEqual([{ word: 'anew', instead: 'again' }]);
});
