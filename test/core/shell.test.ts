import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { inShell } from '../../core/shell';

it('leaves a plain name as it is', () => {
  for (const name of ['nightly', 'team/report-1', '2026-03-05T01:00:00.000Z']) expect(inShell(name)).toBe(name);
});

it.each(['nightly report', 'x $(echo run)', 'a;exit 3', "it's", '`echo run`', '"', '~', '*', '', 'é', 'a\\b'])(
  'makes one argument of %j, which the shell does not run',
  (name) => {
    expect(execFileSync('sh', ['-c', `printf %s ${inShell(name)}`]).toString()).toBe(name);
  },
);
