import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { packedProject } from '../../support/packages/packed-project';
import { runNode } from '../../support/processes/child';

const INSTALLED = resolve(__dirname, '../../../node_modules');

/** Run a program of this repository's tools to its end. */
async function run(script: string, args: string[]) {
  const program = runNode([join(INSTALLED, script), ...args], {});
  const { code } = await program.ended();
  return { code, output: [...program.output, ...program.errors].join('\n') };
}

it('publint finds nothing to say about the packed package', async () => {
  const { directory } = await packedProject({ files: {} });
  const { code, output } = await run('publint/src/cli.js', [
    join(directory, 'node_modules', 'escapement'),
    ...['--strict', '--pack', 'false'],
  ]);
  expect(code, output).toBe(0);
  expect(output).toContain('All good!');
});

it('its types resolve in every kind of module resolution, as the code beside them does', async () => {
  const { directory } = await packedProject({ files: {} });
  const { code, output } = await run('@arethetypeswrong/cli/dist/index.js', [
    join(directory, 'escapement.tgz'),
    ...['--format', 'ascii', '--no-color'],
  ]);
  expect(code, output).toBe(0);
  expect(output).toContain('No problems found');
});
