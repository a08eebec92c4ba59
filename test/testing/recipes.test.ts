import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const FOLDER = resolve(__dirname, 'recipes');

// They are run from the packed tarball: test/long/packaging/recipes.test.ts.
it('the page on testing quotes its recipes as they are run', () => {
  const page = readFileSync(resolve(__dirname, '../../docs/testing.md'), 'utf8');
  const blocks = [...page.matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g)].map(
    ([, name, code]) => [name!, code!] as const,
  );
  expect(blocks.map(([name]) => name).sort()).toEqual(readdirSync(FOLDER).sort());
  for (const [name, code] of blocks) expect(code, name).toBe(readFileSync(join(FOLDER, name), 'utf8'));
});
