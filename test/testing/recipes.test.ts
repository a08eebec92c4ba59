import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, inject, it } from 'vitest';
import { runNode } from '../support/child';

const FOLDER = resolve(__dirname, 'recipes');
const files = readdirSync(FOLDER).sort();

it('the page on testing quotes its recipes as they are run', () => {
  const page = readFileSync(resolve(__dirname, '../../docs/testing.md'), 'utf8');
  const blocks = [...page.matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g)].map(
    ([, name, code]) => [name!, code!] as const,
  );
  expect(blocks.map(([name]) => name).sort()).toEqual(files);
  for (const [name, code] of blocks) expect(code, name).toBe(readFileSync(join(FOLDER, name), 'utf8'));
});

// In a process without vitest: the kit needs no runner of its own.
it('every recipe passes under node:test', async () => {
  const running = runNode(['--import', 'tsx', '--test', ...files.map((file) => join(FOLDER, file))], {
    DATABASE_URL: inject('databaseUrl'),
    TEST_SERVER_PATH: inject('testServerPath'),
  });
  const { code } = await running.ended();
  const output = [...running.output, ...running.errors].join('\n');
  expect(code, output).toBe(0);
  expect(output).toMatch(/pass 4\b/);
}, 120_000);
