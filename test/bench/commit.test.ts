import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MeasuredCommit, withoutGit } from '../../bench/lib/commit';
import { temporaryFolder } from '../support/folder';

it('names the commit that is measured, and says whether files differed from it or have changed since', async () => {
  const { folder, git, write } = await repository();
  await write('trigger.ts', 'one');
  git('add', '.');
  git('commit', '--quiet', '--message', 'One');
  const commit = git('rev-parse', '--short', 'HEAD').trim();

  const clean = await MeasuredCommit.read(folder);
  expect(await clean.describe()).toBe(commit);
  await write('trigger.ts', 'two');
  expect(await clean.describe()).toBe(`${commit}, changed since the bench began`);

  const changed = await MeasuredCommit.read(folder);
  expect(await changed.describe()).toBe(`${commit} with changes`);
  await write('untracked.ts', 'three');
  expect(await changed.describe()).toBe(`${commit} with changes, changed since the bench began`);

  // What a scene or a chaos run writes is no part of what the next one measures.
  git('add', '.');
  git('commit', '--quiet', '--message', 'Two');
  const next = git('rev-parse', '--short', 'HEAD').trim();
  await mkdir(join(folder, 'bench', 'results'), { recursive: true });
  await write('bench/README.md', 'a table');
  await write('bench/results/some.json', '{}');
  await mkdir(join(folder, 'chaos', 'results'), { recursive: true });
  await write('chaos/results/seed-1.json', '{}');
  expect(await (await MeasuredCommit.read(folder)).describe()).toBe(next);
});

it('knows no commit where there is no repository', async () => {
  const folder = await temporaryFolder();
  expect(await (await MeasuredCommit.read(folder)).describe()).toBe('unknown');
});

async function repository() {
  const folder = await temporaryFolder();
  const git = (...args: string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', '-c', 'commit.gpgsign=false', ...args],
      {
        cwd: folder,
        env: withoutGit(),
        encoding: 'utf8',
      },
    );
  git('init', '--quiet');
  return { folder, git, write: (name: string, text: string) => writeFile(join(folder, name), text) };
}
