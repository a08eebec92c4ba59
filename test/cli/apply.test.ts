import { expect, it } from 'vitest';
import { runCommand } from '../support/child';
import { temporaryFile } from '../support/folder';
import { useLedger } from '../support/ledger';

const ledger = useLedger();

async function apply(name: string, content: string, ...flags: string[]) {
  const file = await temporaryFile(name, content);
  const args = ['schedule', 'apply', file, '--source', 'billing', ...flags];
  return runCommand(args, { DATABASE_URL: ledger().databaseUrl });
}

const schedule = (scheduleId: string, cron = '0 2 * * *') =>
  `{ "scheduleId": "${scheduleId}", "spec": { "cron": "${cron}" }, "policies": { "catchupLimit": null },
    "action": { "type": "startWorkflow", "workflowType": "report", "taskQueue": "reports" } }`;
const module = (...schedules: string[]) => schedules.join(', ').replaceAll('null', 'Infinity');

it('schedule apply reads a list from JSON, and says what it did and would do', async () => {
  const created = await apply('schedules.json', `[${schedule('a')}, ${schedule('b')}]`, '--revision', '1');
  expect(created).toEqual({
    code: 0,
    stderr: '',
    stdout: '+ a\n+ b\nApplied billing@1: 2 created, 0 updated, 0 pruned, 0 unchanged.',
  });
  const list = `[${schedule('a', '5 2 * * *')}]`;
  const planned = await apply('schedules.json', list, '--revision', '2', '--prune', '--dry-run');
  expect(planned.stdout).toBe(
    '~ a: spec.cron\n- b\nWould apply billing@2: 0 created, 1 updated, 1 pruned, 0 unchanged.',
  );
  const applied = await apply('schedules.json', list, '--revision', '2', '--prune', '--json');
  expect(JSON.parse(applied.stdout)).toMatchObject({
    status: 'applied',
    updated: [{ scheduleId: 'a' }],
    pruned: ['b'],
  });
  expect((await apply('schedules.json', list, '--revision', '1')).stdout).toBe(
    'billing@1 is stale, since revision 2 began: nothing was written.',
  );
});

it.each([
  [
    'schedules.mjs',
    `export const a = ${module(schedule('a'))}; export default [a, ${module(schedule('b'))}]; export const other = [{ spec: 1 }];`,
  ],
  [
    'schedules.cjs',
    `exports.a = ${module(schedule('a'))}; exports.list = [exports.a, ${module(schedule('b'))}]; exports.f = () => 1;`,
  ],
  ['schedules.js', `module.exports = [${module(schedule('a'), schedule('b'))}];`],
])('schedule apply takes every schedule that a module exports, once (%s)', async (name, content) => {
  const { stdout, stderr } = await apply(name, content, '--revision', '1', '--json');
  expect(stderr).toBe('');
  expect(JSON.parse(stdout).created).toEqual(['a', 'b']);
});

it('schedule apply with --prune does not take a schedule of a module for one that is declared no more, because it is misspelt', async () => {
  const pair = (b: string) => `export const a = ${module(schedule('a'))}; export const b = ${module(b)};`;
  const list = (b: string) => `export const a = ${module(schedule('a'))}; export const list = [${module(b)}];`;
  await apply('schedules.mjs', pair(schedule('b')), '--revision', '1');
  for (const field of ['scheduleId', 'spec', 'action']) {
    const misspelt = schedule('b').replace(`"${field}"`, '"mistake"');
    for (const content of [pair(misspelt), list(misspelt)]) {
      const { code, stderr } = await apply('schedules.mjs', content, '--revision', '2', '--prune');
      expect([code, stderr]).toEqual([1, expect.stringMatching(/\[1\].* (mistake: no such field|is missing)/)]);
    }
  }
  expect(await ledger().query('select schedule_id from escapement.schedules where deleted_at is null')).toHaveLength(2);
});

it.each([
  ['schedules.json', '{', /cannot be read as JSON/],
  ['schedules.json', '{}', /holds no list of schedules/],
  ['schedules.mjs', 'export const other = 1;', /exports no schedule/],
  ['schedules.mjs', 'throw new Error("boom")', /cannot be loaded as a module \(boom\)/],
  ['schedules.ts', 'export const a = 1 as number;', /compile it first/],
  ['schedules.json', '[{ "scheduleId": "a" }]', /\[0\] 'a' spec: is missing/],
])('schedule apply says what is wrong with %s: %s', async (name, content, problem) => {
  const { code, stderr } = await apply(name, content, '--revision', '1');
  expect([code, stderr]).toEqual([1, expect.stringMatching(problem)]);
});
