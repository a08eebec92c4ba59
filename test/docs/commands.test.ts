import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command, Option } from 'commander';
import { expect, it } from 'vitest';
import { environmentOf } from '../../cli/command';
import { program } from '../../cli/program';
import { commandsOf, type DocCommand, namedCommands, namedInShort, shellWords } from '../support/pages/doc-commands';
import { docBlocks, docPages } from '../support/pages/doc-pages';

const ROOT = resolve(__dirname, '../..');
const pages = docPages();
const blocks = docBlocks(pages);

const environment = environmentOf({});

/** The whole command, which parses its arguments as usual, but then does nothing. */
function readingProgram(): Command {
  const command = program(environment);
  const walk = (one: Command) => {
    one.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} });
    one.action(() => {});
    for (const child of one.commands) walk(child as Command);
  };
  for (const child of command.commands) walk(child as Command);
  return command.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} });
}

it('every command line of every page is one that the command takes', async () => {
  const commands = commandsOf(blocks);
  expect(commands.length).toBeGreaterThan(80);
  const wrong: string[] = [];
  for (const command of commands) {
    const refused = await refusalOf(command.words);
    if (refused) wrong.push(`${placeOf(command)}: ${refused}`);
  }
  expect(wrong).toEqual([]);
});

async function refusalOf(words: string[]): Promise<string | undefined> {
  // Placeholders that a shell would fill in; any word will do.
  const filled = words.map((word) => (word === 'TIME' ? '2026-01-01T00:00:00Z' : word.replace(/\$\{?\w+\}?/g, 'x')));
  try {
    await readingProgram().parseAsync(filled, { from: 'user' });
    return undefined;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return code === 'commander.helpDisplayed' || code === 'commander.version' ? undefined : message;
  }
}

it('every command that prose names is there, with the options that it names', () => {
  const commands = namedCommands(pages);
  expect(commands.length).toBeGreaterThan(80);
  const root = program(environment);
  expect(commands.flatMap((command) => unknownIn(root, command))).toEqual([]);
});

it('every command that prose names in short, such as `firing list --state running`, is there too', () => {
  const root = program(environment);
  const groups = root.commands.filter(({ commands }) => commands.length > 0).map((one) => one.name());
  // Log lines that begin like a command.
  const isLogLine = ({ words }: DocCommand) => /^(?:trigger running|schedule set aside)/.test(words.join(' '));
  const commands = namedInShort(pages, groups).filter((one) => !isLogLine(one));
  expect(commands.length).toBeGreaterThan(80);
  expect(commands.flatMap((command) => unknownIn(root, command))).toEqual([]);
});

it('every command that a message, a help text or a comment names is there too', () => {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
  const texts = files
    .filter((file) => !/^(test|bench|store|scripts)\//.test(file))
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));
  const inQuotes = texts.map(({ file, text }) => ({
    file,
    text: text.replace(/'(escapement [a-z][^'\n]*)'/g, '`$1`'),
  }));
  // The name of a Postgres session and the headline of a screen are not commands.
  const commands = namedCommands(inQuotes).filter(({ words }) => !/\$\{schema\}|,|\\/.test(words.join(' ')));
  expect(commands.length).toBeGreaterThan(60);
  const root = program(environment);
  expect(commands.flatMap((command) => unknownIn(root, command))).toEqual([]);
});

/** Which of the words are no command and no option of it; prose may leave out arguments, and give several commands by `|`. */
function unknownIn(root: Command, { words, ...place }: DocCommand): string[] {
  let command = root;
  const options: Option[] = [...root.options];
  const unknown: string[] = [];
  for (const [index, word] of words.entries()) {
    const [name] = word.replace(/^\[|\]$/g, '').split('=');
    if (word === '|') break;
    if (name!.startsWith('-')) {
      const isKnown = name === '--help' || options.some(({ short, long }) => short === name || long === name);
      if (!isKnown) unknown.push(name!);
      continue;
    }
    const [first, ...alternatives] = word.split('|');
    const child = command.commands.find((one) => one.name() === first || one.aliases().includes(first!));
    if (child) {
      const missing = alternatives.filter((other) => !command.commands.some((one) => one.name() === other));
      unknown.push(...missing);
      command = child as Command;
      options.push(...command.options);
    } else if (
      index === 0 ||
      (command.commands.length > 0 &&
        command.registeredArguments.length === 0 &&
        /^[a-z]/.test(word) &&
        !words[index - 1]!.startsWith('-'))
    ) {
      unknown.push(word);
    }
  }
  return unknown.map((word) => `${placeOf({ words, ...place })}: ${word}`);
}

function placeOf({ file, line, words }: DocCommand): string {
  return `${file}:${line}: escapement ${words.join(' ')}`;
}

it('every script of npm that a page names is one of this package', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const named = pages.flatMap(({ file, text }) =>
    [...text.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name]) => ({ file, name: name! })),
  );
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter(({ name }) => !(name in scripts))).toEqual([]);
});

it.each([
  [
    "escapement schedule create nightly --cron '0 2 * * *'  # a comment",
    ['escapement', 'schedule', 'create', 'nightly', '--cron', '0 2 * * *'],
  ],
  ['source <(npx escapement completion bash)', ['source', '<(', 'npx', 'escapement', 'completion', 'bash)']],
  ['x --note "it\'s so"', ['x', '--note', "it's so"]],
])('reads %j as a shell does', (line, words) => {
  expect(shellWords(line)).toEqual(words);
});

it('finds what a page gets wrong', async () => {
  expect(await refusalOf(['schedule', 'pauze', 'nightly'])).toMatch(/too many arguments|unknown command/);
  expect(await refusalOf(['schedule', 'pause', 'nightly', '--untill', '90m'])).toMatch(/unknown option/);
  expect(await refusalOf(['schedule', 'trigger', 'nightly', '--overlap-policy', 'NONE'])).toMatch(/invalid/);
  const root = program(environment);
  const place = { file: 'a.md', line: 1 };
  expect(unknownIn(root, { ...place, words: ['schedule', 'list', '--ownr', 'a'] })).toEqual([
    'a.md:1: escapement schedule list --ownr a: --ownr',
  ]);
  expect(unknownIn(root, { ...place, words: ['token', 'create|lst'] })).toHaveLength(1);
});
