import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT, say } from './lib/project.mjs';
import { proseOfCode, proseOfHashComments } from './lib/prose/code.mjs';
import { proseOfMarkdown } from './lib/prose/markdown.mjs';
import { MOST_WORDS, sentencesOf } from './lib/prose/sentences.mjs';
import { replacedWords } from './lib/prose/words.mjs';

/** The problems of texts that people read, one line each, such as `docs/time.md:12: 41 words: When …`. */
export function proseProblems() {
  return allSentences().flatMap(({ file, line, words, text }) => {
    const place = `${file}:${line}`;
    const replaced = replacedWords(text).map(({ word, instead }) => `${place}: "${word}" is "${instead}": ${text}`);
    return words > MOST_WORDS ? [`${place}: ${words} words: ${text}`, ...replaced] : replaced;
  });
}

/** Every sentence of this repository that people read, with its place. */
export function allSentences() {
  return filesOf().flatMap((file) =>
    blocksOf(file, readFileSync(join(ROOT, file), 'utf8'))
      .flatMap(sentencesOf)
      .map((sentence) => ({ file, ...sentence })),
  );
}

function filesOf() {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return listed
    .split('\n')
    .filter(
      (file) => /\.(md|m?tsx?|mjs|ya?ml|sh|service|env)$|Dockerfile/.test(file) && !file.startsWith('bench/results/'),
    );
}

function blocksOf(file, source) {
  if (file.endsWith('.md')) return proseOfMarkdown(source);
  if (!/\.(m?tsx?|mjs)$/.test(file)) return proseOfHashComments(source);
  // Strings in tests and benches repeat texts that are checked in the sources.
  return proseOfCode(file, source, { strings: !/^(test|bench)\//.test(file) });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const problems = proseProblems();
  for (const problem of problems) say(problem);
  if (problems.length > 0) process.exitCode = 1;
}
