import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT, say } from './lib/project.mjs';
import { proseOfCode, proseOfHashComments, proseOfLines } from './lib/prose/code.mjs';
import { proseOfMarkdown, rowsOfMarkdown } from './lib/prose/markdown.mjs';
import { MOST_WORDS, sentencesOf } from './lib/prose/sentences.mjs';
import { replacedWords } from './lib/prose/words.mjs';

/** The problems of texts that people read, one line each, such as `docs/time.md:12: 41 words: When …`. */
export function proseProblems() {
  const sentences = allSentences();
  const long = sentences
    .filter(({ words }) => words > MOST_WORDS)
    .map(({ file, line, words, text }) => `${file}:${line}: ${words} words: ${text}`);
  const replaced = [...sentences, ...allRows()].flatMap(({ file, line, text }) =>
    replacedWords(text).map(({ word, instead }) => `${file}:${line}: "${word}" is "${instead}": ${text}`),
  );
  return [...long, ...replaced];
}

/** Every sentence of this repository that people read, with its place. */
export function allSentences() {
  return filesOf().flatMap((file) =>
    blocksOf(file, readFileSync(join(ROOT, file), 'utf8'))
      .flatMap(sentencesOf)
      .map((sentence) => ({ file, ...sentence })),
  );
}

/** Every row of a table. Its cells may be long, since they are no sentences, but their words are checked. */
function allRows() {
  return filesOf()
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) => rowsOfMarkdown(readFileSync(join(ROOT, file), 'utf8')).map((row) => ({ file, ...row })));
}

function filesOf() {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return listed
    .split('\n')
    .filter(
      (file) =>
        /\.(md|m?tsx?|mjs|ya?ml|sh|service|env|sql|tla|css)$|Dockerfile|^ops\/.*\.json$/.test(file) &&
        !file.startsWith('bench/results/'),
    );
}

function blocksOf(file, source) {
  if (file.endsWith('.md')) return proseOfMarkdown(source);
  if (/\.(sql|tla|css|json)$/.test(file)) return proseOfLines(file, source);
  if (!/\.(m?tsx?|mjs)$/.test(file)) return proseOfHashComments(source);
  // Strings in tests and benches repeat texts that are checked in the sources.
  return proseOfCode(file, source, { strings: !/^(test|bench)\//.test(file) });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const problems = proseProblems();
  for (const problem of problems) say(problem);
  if (problems.length > 0) process.exitCode = 1;
}
