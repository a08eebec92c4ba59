import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';

const REPOSITORY = resolve(__dirname, '../../..');

/**
 * The shipped command with one text in one of its files replaced, for the length of the test: a script for Node.
 *
 * @throws {Error} where the text is not there exactly once: the mutant would be none
 */
export function mutantOf(name: string, file: string, from: string, to: string): string {
  const folder = join(REPOSITORY, '.cache', 'mutants', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(REPOSITORY, 'dist'), join(folder, 'dist'), { recursive: true });
  cpSync(join(REPOSITORY, 'package.json'), join(folder, 'package.json'));
  const path = join(folder, 'dist', file);
  const parts = readFileSync(path, 'utf8').split(from);
  if (parts.length !== 2) throw new Error(`${file} has "${from}" ${parts.length - 1} times`);
  writeFileSync(path, parts.join(to));
  return join(folder, 'dist', 'cli', 'main.js');
}
