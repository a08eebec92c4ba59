import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { MUTANTS } from '../../chaos/mutants/mutants';
import { environmentOf } from '../../cli/command';
import { program } from '../../cli/program';
import { shellWords } from '../support/pages/doc-commands';
import { docBlocks, docPages } from '../support/pages/doc-pages';
import { checkedCommand, otherCommands } from '../support/pages/other-commands';
import { OTHER_PROGRAMS } from '../support/pages/other-programs';

const ROOT = resolve(__dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const pages = docPages();

/** The files that read the options of a script of npm. */
const READ_BY: Record<string, string[]> = {
  bench: ['bench/main.ts'],
  chaos: ['chaos/main.ts'],
  demo: ['examples/demo/main.ts'],
  docs: ['scripts/docs.mjs'],
  model: [],
  mutate: ['scripts/mutate.mjs'],
  'mutate:core': ['node_modules/@stryker-mutator/core/dist/src/stryker-cli.js'],
  test: ['scripts/test.mjs'],
  // Passes its arguments on to the tests.
  verify: ['scripts/test.mjs'],
};
const VITEST = OTHER_PROGRAMS['vitest run']!.split(' ').map((option) => option.replace('=', ''));
const BY_HAND = { test: VITEST, verify: VITEST } as Record<string, string[]>;

/** The options that a source reads: by commander, by `parseArgs`, or by a comparison with its arguments. */
function optionsIn(source: string): string[] {
  const commander = [...source.matchAll(/(?:\.option\(|new Option\()\s*['"`](?:-\w, )?(--[\w-]+)/g)];
  const parsed = [...source.matchAll(/([\w-]+)'?: \{ type: '(?:string|boolean)'/g)];
  const compared = source.includes('process.argv') ? [...source.matchAll(/'(--[\w-]+)'/g)] : [];
  const help = commander.length > 0 ? ['--help'] : [];
  return [
    ...[...commander, ...compared].map(([, option]) => option!),
    ...parsed.map(([, name]) => `--${name}`),
    ...help,
  ];
}

function optionsOf(script: string): string[] {
  return [...READ_BY[script]!.flatMap((file) => optionsIn(read(file))), ...(BY_HAND[script] ?? [])];
}

interface Line {
  where: string;
  /** A script of npm, or a file. */
  script: string;
  words: string[];
}

/** The lines of our own scripts with what follows, in blocks and in text. */
function ownLines(): Line[] {
  const named = /\bnpm (?:run ([\w:-]+)|(test))(?: --( [^`\n]*)|(?=[`\s]))|\b(?:npx )?tsx ([\w./-]+\.ts)([^`\n]*)/g;
  return pages.flatMap(({ file, text }) =>
    [...text.matchAll(named)].flatMap(({ 1: run, 2: test, 3: given, 4: path, 5: toFile, index }) => ({
      where: `${file}:${text.slice(0, index).split('\n').length}`,
      script: (run ?? test ?? path)!,
      words: shellWords(given ?? toFile ?? ''),
    })),
  );
}

it('each option that a line of our own scripts has is one that the script reads', () => {
  const lines = ownLines();
  const given = lines.flatMap(({ words, ...line }) =>
    words.filter((word) => /^--\w/.test(word)).map((word) => ({ ...line, option: word.split('=')[0]! })),
  );
  expect(given.length).toBeGreaterThan(30);
  const unread = given.filter(({ script, option }) => {
    if (script in READ_BY) return !optionsOf(script).includes(option);
    return !script.endsWith('.ts') || !existsSync(join(ROOT, script)) || !optionsIn(read(script)).includes(option);
  });
  expect(unread).toEqual([]);
  const projects = [...read('vitest.config.mts').matchAll(/name: '(\w+)'/g)].map(([, name]) => `--project=${name}`);
  const asked = lines.flatMap(({ words }) => words.filter((word) => word.startsWith('--project=')));
  expect(asked.filter((word) => !projects.includes(word))).toEqual([]);
  const tests = lines.filter(({ script }) => script === 'test').flatMap(({ words }) => words);
  const paths = tests.filter((word) => word.startsWith('test/'));
  expect(paths.length).toBeGreaterThan(5);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  const mutants = lines.flatMap(({ words }) => words.filter((_, index) => words[index - 1] === '--mutant'));
  expect(mutants.filter((name) => name !== 'all' && !MUTANTS.some((one) => one.name === name))).toEqual([]);
});

it('each option that text names alone is one of `escapement`, or of a script or program that the page names', () => {
  const ofEscapement = new Set(['--help', ...allOptions(program(environmentOf({})))]);
  const lines = ownLines();
  const others = otherCommands(pages, docBlocks(pages));
  const unknown = pages.flatMap(({ file, text }) => {
    const scripts = new Set(lines.filter(({ where }) => where.startsWith(`${file}:`)).map(({ script }) => script));
    const own = [...scripts].flatMap((script) => (script in READ_BY ? optionsOf(script) : optionsOfFile(script)));
    const programs = others.filter((command) => command.file === file).map((one) => checkedCommand(one).command);
    const ofOthers = programs.flatMap((name) => OTHER_PROGRAMS[name]?.replaceAll('=', '').split(/\s+/) ?? []);
    const known = new Set([...ofEscapement, ...own, ...ofOthers]);
    const named = [...text.matchAll(/`(?:-- )?(--[a-z][\w-]*)[^`\n]*`/g)].map(([, option]) => option!);
    return named.filter((option) => !known.has(option)).map((option) => `${file}: ${option}`);
  });
  expect(unknown).toEqual([]);
});

function optionsOfFile(path: string): string[] {
  return existsSync(join(ROOT, path)) ? optionsIn(read(path)) : [];
}

function allOptions(command: Command): string[] {
  const own = command.options.flatMap(({ long }) => long ?? []);
  return [...own, ...command.commands.flatMap((child) => allOptions(child as Command))];
}

it.each([
  [`new Command().option('-s, --seed <seed>', 'of all').addOption(new Option('--share <share>'))`, 3],
  [`parseArgs({ options: { traces: { type: 'string' }, 'in-flight': { type: 'string' } } })`, 2],
  [`process.argv.includes('--build')`, 1],
  [`const options = '--build';`, 0],
])('finds the options that %s reads', (source, count) => {
  expect(optionsIn(source)).toHaveLength(count);
});
