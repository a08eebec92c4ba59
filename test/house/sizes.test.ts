import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const REPOSITORY = resolve(__dirname, '../..');
const LINES_AT_MOST = 300;
const FILES_AT_MOST = 30;

/** Folders with more files, each with the reason. */
const LARGE: Record<string, string> = {
  docs: 'a page for each subject, and its folder is part of its address',
  'docs/schemas': 'a generated file for each command',
};

/** Every file that git has or would take. */
const FILES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'], {
  cwd: REPOSITORY,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(REPOSITORY, file)));

it('no file of code is longer than 300 lines', () => {
  const code = FILES.filter((file) => /\.(?:[cm]?ts|tsx|mjs|css)$/.test(file));
  expect(code.length).toBeGreaterThan(1_000);
  const linesOf = (file: string) => readFileSync(join(REPOSITORY, file), 'utf8').split('\n').length - 1;
  expect(code.map((file) => ({ file, lines: linesOf(file) })).filter(({ lines }) => lines > LINES_AT_MOST)).toEqual([]);
});

it('no folder has more than 30 files', () => {
  const counts = new Map<string, number>();
  for (const file of FILES) {
    const folder = file.slice(0, Math.max(0, file.lastIndexOf('/')));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const large = [...counts].filter(([, count]) => count > FILES_AT_MOST).map(([folder]) => folder);
  expect(large.sort()).toEqual(Object.keys(LARGE).sort());
});
