import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as activity from '../activities';
import * as main from '../index';
import { KINDS } from '../server/problems/of-error';
import * as testing from '../testing';
import { TODO_OF } from './errors-to-do';
import { TODO_OF_PROBLEM } from './problems-to-do';

/** What follows in docs/errors.md is written by `npx tsx scripts/write-errors.ts`. */
export const MARK = '<!-- From here on written by scripts/write-errors.ts. -->';

const ROOT = resolve(__dirname, '..');
const ENTRIES = { escapement: main, 'escapement/activity': activity, 'escapement/testing': testing };
const ROOMS = ['core', 'client', 'activities', 'testing'];

/** Every error class that an entry of the package exports, and every problem that only the API has, with what to do. */
export function errorsPage(): string {
  const meanings = documented();
  const sections = Object.entries(ENTRIES).map(([entry, exported]) => {
    const names = Object.entries(exported).flatMap(([name, value]) => (isErrorClass(value) ? [name] : []));
    const rows = names.sort().map((name) => rowOf(name, meanings));
    return [
      `## From \`${entry}\``,
      '',
      '| error | what has happened | what to do |',
      '| --- | --- | --- |',
      ...rows,
      '',
    ];
  });
  return [...sections.flat(), ...onlyOverHttp()].join('\n');
}

/** The problems that the server itself makes. @throws {Error} for one that is not found here, or has no advice */
function onlyOverHttp(): string[] {
  const sources = sourcesOf('server');
  const calls = sources.flatMap((source) => [...source.matchAll(/\bproblem\(\s*(\d{3}),\s*'([\w-]+)',\s*'([^']+)'/g)]);
  const all = sources.flatMap((source) => source.match(/\bproblem\(\s*\d{3}/g) ?? []);
  if (calls.length < all.length) throw new Error('a problem of the API has a kind or a title that is not a plain text');
  const titles = sources.flatMap((source) => [...source.matchAll(/^ {2}(\d{3}): \['([\w-]+)', '([^']+)'\]/gm)]);
  const made = [...calls, ...titles];
  const rows = made.map(([, status, kind, title]) => {
    const toDo = TODO_OF_PROBLEM[kind!];
    if (!toDo) throw new Error(`scripts/problems-to-do.ts does not say what to do about ${kind}`);
    return `| ${status} \`${kind}\` | ${title} | ${toDo} |`;
  });
  return [
    '## Other problems of the API',
    '',
    '| problem | title | what to do |',
    '| --- | --- | --- |',
    ...new Set(rows.sort()),
  ];
}

function isErrorClass(value: unknown): boolean {
  return typeof value === 'function' && value.prototype instanceof Error;
}

function rowOf(name: string, meanings: Map<string, string>): string {
  const [meaning, toDo] = [meanings.get(name), TODO_OF[name]];
  if (!meaning) throw new Error(`${name} has no comment`);
  if (!toDo) throw new Error(`scripts/errors-to-do.ts does not say what to do about ${name}`);
  const [, status, kind] = KINDS.find(([one]) => one.name === name) ?? [];
  return `| \`${name}\`${status ? `<br/>${status} \`${kind}\`` : ''} | ${meaning} | ${toDo} |`;
}

/** The comment above each error class in the sources. */
function documented(): Map<string, string> {
  return new Map(
    ROOMS.flatMap(sourcesOf).flatMap((source) =>
      [...source.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport class (\w+)/g)].map(([, comment, name]) => [
        name!,
        wordsOf(comment!),
      ]),
    ),
  );
}

function sourcesOf(room: string): string[] {
  const files = readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.ts')).map((file) => readFileSync(join(ROOT, room, file), 'utf8'));
}

/** A comment up to its first tag, as one line. */
function wordsOf(comment: string): string {
  const [text] = comment.replace(/^\s*\* ?/gm, '').split(/^@/m);
  return text!.trim().replace(/\s+/g, ' ').replaceAll('|', '\\|');
}
