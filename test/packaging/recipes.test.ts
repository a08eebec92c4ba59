import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, inject, it } from 'vitest';
import { packedProject } from '../support/packed-project';

const FOLDER = resolve(__dirname, '../testing');
const names = readdirSync(join(FOLDER, 'recipes')).map((file) => file.replace(/\.ts$/, ''));
const read = (path: string) => readFileSync(join(FOLDER, path), 'utf8');
const servers = () => ({ DATABASE_URL: inject('databaseUrl'), TEST_SERVER_PATH: inject('testServerPath') });

/** The recipes' workflows take Escapement from this repository: here from the package. */
const workflows = read('workflows.ts').replace("'../../workflows'", "'escapement/workflow'");
const compilerOptions = { module: 'node16', target: 'es2022', strict: true, types: ['node'], outDir: 'built' };
const sources = {
  'workflows.ts': workflows,
  'tsconfig.json': JSON.stringify({
    compilerOptions: { ...compilerOptions, skipLibCheck: true },
    include: ['recipes', 'jest', 'workflows.ts'],
  }),
};

/** A recipe in the words of another runner than Node's own. */
function under(runner: string, name: string): string {
  return read(`recipes/${name}.ts`)
    .replace(/import \{ (.*) \} from 'node:test';/, `import { $1 } from '${runner}';`)
    .replace('after, before, test', 'afterAll as after, beforeAll as before, test');
}

it('every recipe compiles and passes under node:test in a fresh project that has installed the tarball, the kit also under Jest and vitest without a plugin', async () => {
  const recipes = names.map((name) => [`recipes/${name}.ts`, read(`recipes/${name}.ts`)]);
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
}, 300_000);

it('doubles need neither the worker nor a Temporal server, nor a Postgres but the one from npm', async () => {
  const project = await packedProject({
    files: {
      'dst-night.test.js': under('@jest/globals', 'dst-night').replace(
        /import (\{.*\}) from ('.*');/g,
        'const $1 = require($2);',
      ),
      'workflows.test.js': `
        const { MissingPackageError, TestScheduleEnvironment } = require('escapement/testing');
        it('says which package is missing', async () => {
          const creating = TestScheduleEnvironment.create({ workflowsPath: __filename });
          await expect(creating).rejects.toThrow(MissingPackageError);
          await expect(creating).rejects.toThrow('@temporalio/testing; install it');
        }, 60_000);`,
    },
    tools: ['jest', '@jest/globals'],
    without: ['@temporalio/testing', '@temporalio/worker', '@temporalio/activity'],
  });
  expect(await project.mustRun('jest', ['--testTimeout=60000'])).toMatch(/Tests: +2 passed, 2 total/);
}, 300_000);
