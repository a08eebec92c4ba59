import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';

/** Files that give and take rights, put another database in place, or look at the sessions of other roles. */
const OF_OWNERS = [
  '**/trigger/upkeep/forget.test.ts',
  '**/trigger/recover/failover.test.ts',
  '**/trigger/claim/locks.test.ts',
];

it('the tests of the trigger pass where each program is a role with its own grants alone', async () => {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'integration', '--maxWorkers', '2'];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...args, ...OF_OWNERS.flatMap((file) => ['--exclude', file]), 'test/trigger', 'test/client/letters'],
    {
      env: {
        ...process.env,
        ESCAPEMENT_TEST_LEAST_PRIVILEGE: '1',
        DATABASE_URL: inject('databaseUrl'),
        TEMPORAL_ADDRESS: inject('temporalAddress'),
        FORCE_COLOR: '0',
        NO_COLOR: '1',
      },
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  expect(stdout).toMatch(/Test Files {2}\d+ passed/);
});
