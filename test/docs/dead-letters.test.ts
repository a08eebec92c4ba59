import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCommand } from '../support/processes/command';

const PAGE = readFileSync(join(__dirname, '../../docs/dead-letters.md'), 'utf8');

it('the page says what the command says of its modes', async () => {
  const { stdout } = await runCommand(['dead-letter', 'redrive', '--help']);
  for (const mode of ['continue', 'resume', 'restart']) {
    expect(stdout).toContain(mode);
    expect(PAGE).toContain(`\`${mode}\``);
  }
});
