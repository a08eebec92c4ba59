import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { environmentOf } from '../../cli/command';
import { completionOf } from '../../cli/completion';
import { program } from '../../cli/program';
import { temporaryFile } from '../support/folder';

const command = program(environmentOf({}));

/** The completions of bash after some words, while the last one is being typed. */
function offered(...words: string[]): string[] {
  const line = `COMP_WORDS=(escapement ${words.map((word) => `'${word}'`).join(' ')}) COMP_CWORD=${words.length}`;
  const script = `${completionOf(command, 'bash')}\n${line}\n_escapement\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\n').filter(Boolean);
}

it('completes commands, options and their values in bash, at whatever place', () => {
  expect(offered('sch')).toEqual(['schedule']);
  expect(offered('schedule', 'unp')).toEqual(['unpause']);
  expect(offered('schedule', 'pause', 'nightly', '--not')).toEqual(['--note']);
  expect(offered('schedule', 'trigger', 'nightly', '--overlap-policy', 'BUFFER')).toEqual(['BUFFER_ONE', 'BUFFER_ALL']);
  expect(offered('schedule', 'bulk', 'f')).toEqual(['follow']);
  expect(offered('schedule', 'bulk', 'list', '--state', 'r')).toEqual(['running']);
  expect(offered('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
  expect(offered('db', 'grants', '--for', '')).toEqual(['trigger', 'worker', 'client', 'reader']);
  expect(offered('token', 'create', 'ci', '--scope', 'o')).toEqual(['operate']);
  expect(offered('stats', '--times', 'u')).toEqual(['utc']);
  // A former name of an option works, but is not offered.
  expect(offered('schedule', 'pause', 'nightly', '--rea')).toEqual([]);
});

it.each(['bash', 'zsh', 'fish'] as const)('is read by %s, where this machine has it', async (shell) => {
  const file = await temporaryFile(`escapement.${shell}`, completionOf(command, shell));
  const { stderr, error } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
  if ((error as NodeJS.ErrnoException | undefined)?.code !== 'ENOENT') expect(stderr).toBe('');
});

it('knows every command in each shell', () => {
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    const script = completionOf(command, shell);
    for (const path of ['/schedule/create', '/dead-letter/redrive', '/firing/run-again', '/db/migrate'])
      expect(script).toContain(path);
  }
  // Where a command is expected, fish offers no files.
  const fish = completionOf(command, 'fish');
  expect(fish).toMatch(/= "\/alert"' -f -a '/);
  expect(fish).toMatch(/= "\/schedule\/apply"' -a '/);
});
