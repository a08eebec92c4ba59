import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { SCENES } from '../../bench/scenes';
import { shellLines, shellWords } from '../support/pages/doc-commands';
import { docBlocks, docPages } from '../support/pages/doc-pages';
import { checkedCommand, type OtherCommand, otherCommands } from '../support/pages/other-commands';
import { OTHER_PROGRAMS } from '../support/pages/other-programs';

const ROOT = resolve(__dirname, '../..');
const pages = docPages();
const blocks = docBlocks(pages);
/** Each line of shell with its words. */
const lines = shellLines(blocks)
  .map((line) => ({ ...line, words: shellWords(line.text) }))
  .filter(({ words }) => words.length > 0);

/** Who holds the lines of a program that pages show. */
const HELD_BY: Record<string, string> = {
  escapement: 'commands.test.ts reads each with the real command',
  npm: 'below: its options. commands.test.ts knows the scripts, and the tests of the tutorial install what it says',
  tsx: 'below: the file is there',
  psql: 'sql.test.ts',
  pg_dump: 'below: its options. sql.test.ts has the table',
  curl: 'below: its options. test/long/pages/api-snippets.test.ts runs those of api.md, metrics.test.ts that of metrics.md',
  docker: 'below: its options, and what it names is in ops/',
  kubectl: 'below: its options, and what it names is in ops/',
  systemctl: 'below: its options, and what it names is in ops/',
  temporal: 'below: its commands and options',
  crontab: 'below: its options. It prints what `escapement` then reads',
  export: 'below: the variable is read',
  source: 'commands.test.ts reads what it takes',
  ...{ mkdir: 'the shell', cd: 'the shell', touch: 'the shell', rm: 'the shell' },
};

it('no line of shell in a page is of a program of which nobody has said who holds it', () => {
  const programs = lines.flatMap(({ words, file, text }) => {
    const commands = words.join(' ').split(/ (?:&&|\|\|?|;) /);
    return commands.map((command) => {
      const first = command.split(' ').filter((word) => !/^(npx|\$|\w+=.*)$/.test(word))[0];
      return { program: first!, where: `${file}: ${text}` };
    });
  });
  expect(programs.filter(({ program }) => !(program in HELD_BY))).toEqual([]);
  const seen = new Set(programs.map(({ program }) => program));
  expect(Object.keys(HELD_BY).filter((program) => !seen.has(program))).toEqual([]);
});

it('each command of another program, in a block or in text, has its commands and options as they are recorded', () => {
  const commands = otherCommands(pages, blocks);
  const checked = commands.map((command) => ({ ...command, ...checkedCommand(command) }));
  const wrong = checked.flatMap(({ wrong, file, line, words }) =>
    wrong.map((what) => `${file}:${line}: ${words.join(' ')}: ${what}`),
  );
  expect(wrong).toEqual([]);
  // A record that no page needs is one too many.
  const shown = checked.map(({ command }) => `${command} `);
  const unused = Object.keys(OTHER_PROGRAMS).filter((one) => !shown.some((command) => command.startsWith(`${one} `)));
  expect(unused).toEqual([]);
  // Lines within another one, and text, are read too.
  const found = new Set(checked.map(({ file, command }) => `${file}: ${command}`));
  for (const one of [
    ...['docs/alerts.md: openssl rand', 'docs/archive.md: aws configure export-credentials'],
    ...['docs/postgres.md: aws rds generate-db-auth-token', 'docs/deploying.md: kubectl exec'],
    ...['CONTRIBUTING.md: npm ci', 'docs/metrics.md: promtool test rules', 'docs/erasing.md: temporal workflow delete'],
  ]) {
    expect(found).toContain(one);
  }
});

it.each([
  ['kubectl scale deployment/a --replica=2', ['--replica']],
  ['docker run --read-only --env-file', ['--env-file needs a value']],
  ['docker run --read-only image db migrate --any', []],
  ['docker compose --file a up --biuld', ['--biuld']],
  ['temporal workflow signals --name a', ['signals']],
  ['kubectl exec deployment/a -- escapement doctor --any', []],
  ['pg_dump --tables a', ['--tables']],
  ["pg_dump --table 'a' \\\n  --tables 'b'", ['--tables']],
  ["pg_dump --table 'a\nb' --tables c", ['--tables']],
])('finds what is wrong in %s', (line, wrong) => {
  const [command] = otherCommands([], [{ file: 'a.md', line: 1, info: 'sh', code: line }]) as [OtherCommand];
  expect(checkedCommand(command).wrong).toEqual(wrong);
});

it('what lines of docker, kubectl and systemctl name is there', () => {
  const texts = ['kubernetes', 'systemd', 'compose'].flatMap((folder) =>
    readdirSync(join(ROOT, 'ops', folder)).map((name) => readFileSync(join(ROOT, 'ops', folder, name), 'utf8')),
  );
  const kubernetes = texts.join('\n');
  const units = readdirSync(join(ROOT, 'ops/systemd')).map((name) => name.replace(/\.service$/, ''));
  const missing: string[] = [];
  for (const { words, file, text } of lines.filter(({ words }) => /^(docker|kubectl|systemctl)$/.test(words[0]!))) {
    const named = words.filter((word) => word.startsWith('ops/'));
    missing.push(...named.filter((path) => !existsSync(join(ROOT, path))).map((path) => `${file}: ${path}`));
    const objects = words.flatMap((word, index) => {
      const [, inOne] = /^(?:deployment|job)\/(.+)$/.exec(word) ?? [];
      return inOne ?? (words[index - 1] === 'job' ? word : []);
    });
    missing.push(
      ...objects.filter((name) => !kubernetes.includes(`name: ${name}\n`)).map((name) => `${file}: ${name}`),
    );
    if (words[0] !== 'systemctl') continue;
    const asked = words.slice(2).filter((word) => !word.startsWith('-'));
    expect(asked.length, text).toBeGreaterThan(0);
    missing.push(...asked.filter((name) => !units.includes(name)).map((name) => `${file}: ${name}`));
  }
  expect(missing).toEqual([]);
});

it('each file, scene and guard that a line of npm or npx names is there', async () => {
  const { SCENARIOS, WITHOUT } = await import(join(ROOT, 'model/scenarios.mjs'));
  const scenes = new Set(SCENES.map(({ name }) => name));
  const wrong: string[] = [];
  for (const { file, text } of pages.filter(({ file }) => file !== 'CHANGELOG.md')) {
    const asked = [...text.matchAll(/--scene ([\w-]+)/g)].map(([, name]) => name!);
    wrong.push(...asked.filter((name) => !scenes.has(name)).map((name) => `${file}: --scene ${name}`));
    const scripts = [...text.matchAll(/\btsx ((?:bench|scripts|test)\/[\w/-]+\.ts)/g)].map(([, path]) => path!);
    wrong.push(...scripts.filter((path) => !existsSync(join(ROOT, path))).map((path) => `${file}: ${path}`));
    const guards = [...text.matchAll(/npm run model -- '([^']+)'/g)].map(([, name]) => name!);
    wrong.push(...guards.filter((name) => !(name in { ...SCENARIOS, ...WITHOUT })).map((name) => `${file}: ${name}`));
  }
  expect(wrong).toEqual([]);
});

it('each variable that a line of shell sets is read by the program, or by Temporal’s own configuration', () => {
  const code = execFileSync(
    'git',
    [
      'grep',
      '-hoE',
      "'(ESCAPEMENT|TEMPORAL)_[A-Z_]+'|\\b(ESCAPEMENT|TEMPORAL|DATABASE)_[A-Z_]+",
      '--',
      '*.ts',
      ':!test',
      ':!bench',
    ],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
  );
  const temporal = readFileSync(require.resolve('@temporalio/envconfig/lib/envconfig-toml.js'), 'utf8');
  const read = new Set(`${code}\n${temporal}`.match(/\b[A-Z]+_[A-Z_]+\b/g));
  const set = lines.flatMap(({ words, file }) =>
    words.flatMap((word) => {
      const [, name] = /^([A-Z]+_[A-Z_]+)=/.exec(word) ?? [];
      return name === undefined ? [] : { file, name };
    }),
  );
  expect(set.length).toBeGreaterThan(8);
  expect(set.filter(({ name }) => !read.has(name))).toEqual([]);
});
