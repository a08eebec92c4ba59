import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';

/** What a role with only its own grants cannot do, and why that is correct. */
const OF_OWNERS: { file: string; tests?: string[]; why: string }[] = [
  { file: 'trigger/upkeep/forget.test.ts', why: 'it gives rights and takes them, which the owner does' },
  {
    file: 'trigger/claim/locks.test.ts',
    tests: [
      'the record of ends holds no schedule locked while it waits for one that somebody keeps, and comes back to that',
      'a schedule that somebody keeps locked is not claimed, and after two seconds the log says who keeps it',
      'a person who waits for a schedule that somebody keeps locked is told who does',
      'a session that took the lock in a savepoint is named too, as calls in a caller’s transaction take it',
    ],
    why: 'they name a session of a superuser, which Postgres shows to no other role',
  },
  {
    file: 'trigger/observe/close.test.ts',
    tests: ['waits for the next poll, and the others do not'],
    why: 'it names such a session too',
  },
  {
    file: 'trigger/recover/failover-held-up.test.ts',
    tests: ['a schedule that somebody keeps locked waits by itself for its lost firing, and its namespace goes on'],
    why: 'it names such a session too',
  },
  {
    file: 'trigger/recover/replaced-database.test.ts',
    tests: [
      'is noticed though a backup was restored in its place, on the same timeline',
      'keeps the last heartbeat from before, which shows what the backup lacks',
    ],
    why: 'it puts a table of its own in place of one, which has no grants',
  },
];
/** The parts that have a role each: the trigger, the client in its tests, and what runs in a worker. */
const PARTS = [
  ...['test/trigger', 'test/client/letters', 'test/activities', 'test/workflows/park'],
  ...['test/long/trigger', 'test/long/zombie'],
  ...['again', 'drain', 'early', 'parked', 'workers'].map((name) => `test/long/workflows/park-${name}`),
];

it('the tests of trigger, client and worker pass where each program is a role with its own grants alone', async () => {
  const excluded = OF_OWNERS.filter(({ tests }) => !tests).flatMap(({ file }) => ['--exclude', `**/${file}`]);
  const named = OF_OWNERS.flatMap(({ tests = [] }) => tests);
  const args = [
    ...['node_modules/vitest/vitest.mjs', 'run', '--project', 'integration', '--project', 'long', '--maxWorkers', '2'],
    ...excluded,
    ...['--testNamePattern', `^(?!.*(${named.join('|')}))`],
    ...PARTS,
  ];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, {
    env: {
      ...process.env,
      ESCAPEMENT_TEST_LEAST_PRIVILEGE: '1',
      DATABASE_URL: inject('databaseUrl'),
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      FORCE_COLOR: '0',
      NO_COLOR: '1',
    },
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error) => error);
  const summary = stderr.slice(stderr.search(/Failed (?:Suites|Tests)/)).slice(0, 4_000);
  expect(stdout, summary).toMatch(/Test Files {2}\d+ passed/);
  const [, passed, skipped] = /Tests {2}(\d+) passed(?: \| (\d+) skipped)?/.exec(stdout)!;
  expect({ many: Number(passed) > 400, skipped: Number(skipped ?? 0) }).toEqual({ many: true, skipped: named.length });
});
