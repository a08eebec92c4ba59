import { expect, it } from 'vitest';
import { packedProject } from '../../support/packages/packed-project';
import { under } from '../../support/packages/recipes';

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
});
