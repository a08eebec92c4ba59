import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, inject, it } from 'vitest';
import { useLedger } from '../../support/ledger';
import { packedProject } from '../../support/packages/packed-project';
import { readRecipe, under } from '../../support/packages/recipes';
import { compileAndRun, output, printed, tsconfig, typed } from '../../support/packages/typed-project';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('the packed tarball works in an empty project under ts-node, which checks its types', async () => {
  const project = await packedProject({
    files: { 'main.ts': typed, 'tsconfig.json': tsconfig({ module: 'commonjs', skipLibCheck: true }) },
    tools: ['ts-node', 'typescript', '@types/node'],
    typescript5: true,
  });
  expect(await output(project, ledger().databaseUrl, 'ts-node', ['main.ts'])).toBe(printed);
});

it('the packed tarball compiles by TypeScript 5 with all types of its packages checked', async () => {
  await compileAndRun(ledger(), { module: 'node16', skipLibCheck: false }, { byPresent: false });
});

const names = readdirSync(resolve(__dirname, '../../testing/recipes')).map((file) => file.replace(/\.ts$/, ''));
const servers = () => ({ DATABASE_URL: inject('databaseUrl'), TEST_SERVER_PATH: inject('testServerPath') });

/** The recipes' workflows take Escapement from this repository: here from the package. */
const workflows = readRecipe('workflows.ts').replace("'../../workflows'", "'escapement/workflow'");
const compilerOptions = { module: 'node16', target: 'es2022', strict: true, types: ['node'], outDir: 'built' };
const sources = {
  'workflows.ts': workflows,
  'tsconfig.json': JSON.stringify({
    compilerOptions: { ...compilerOptions, skipLibCheck: true },
    include: ['recipes', 'jest', 'workflows.ts'],
  }),
};

it('every recipe compiles and passes under node:test in a fresh project that has installed the tarball, the kit also under Jest and vitest without a plugin', async () => {
  const recipes = names.map((name) => [`recipes/${name}.ts`, readRecipe(`recipes/${name}.ts`)]);
  const project = await packedProject({
    files: {
      ...Object.fromEntries(recipes),
      ...sources,
      'jest/nightly.test.ts': under('@jest/globals', 'nightly'),
      'jest/dst-night.test.ts': under('@jest/globals', 'dst-night'),
      'jest.config.json': JSON.stringify({ testMatch: ['**/built/jest/*.test.js'], testTimeout: 120_000 }),
      // vitest leaves TypeScript as it is, whose files are named in full.
      'vitest/nightly.test.ts': under('vitest', 'nightly').replace("'../workflows'", "'../workflows.ts'"),
      'vitest/dst-night.test.ts': under('vitest', 'dst-night'),
    },
    tools: ['typescript', '@types/node', 'jest', '@jest/globals', 'vitest'],
  });
  await project.mustRun('tsc');
  const built = names.map((name) => `built/recipes/${name}.js`);
  expect(await project.mustRun('node', ['--test', ...built], servers())).toMatch(/pass 5\b/);
  expect(await project.mustRun('jest', [], servers())).toMatch(/Tests: +2 passed, 2 total/);
  const args = ['run', '--dir', 'vitest', '--testTimeout=120000', '--hookTimeout=120000'];
  expect(await project.mustRun('vitest', args, servers())).toMatch(/Tests +2 passed \(2\)/);
});
