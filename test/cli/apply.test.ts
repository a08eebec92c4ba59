import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFile } from '../support/folder';
import { useLedger } from '../support/ledger';
import { runNode } from '../support/processes/child';
import { runCommand } from '../support/processes/command';

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
  expect(applied.stderr).toBe('Deleting, since the file no longer declares it:\n- b');
});

it('schedule apply says by which flag it takes over what another source declared', async () => {
  const list = `[${schedule('a')}]`;
  await apply('schedules.json', list, '--revision', '1');
  const file = await temporaryFile('schedules.json', list);
  const args = ['schedule', 'apply', file, '--source', 'shop', '--revision', '1'];
  expect(await runCommand(args, { DATABASE_URL: ledger().databaseUrl })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("belongs to source 'billing'; give --take-over to take it over"),
  });
});

it('schedule apply warns of what never fires, since its times have passed', async () => {
  const over = schedule('over').replace('"cron"', '"endAt": "2020-01-01T00:00:00Z", "cron"');
  const { code, stderr } = await apply('schedules.json', `[${over}]`, '--revision', '1');
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: 'Warning: these schedules have no future times:\n- over',
  });
});

it('schedule apply exits with 2 where its revision is stale, unless it is told to ignore that', async () => {
  const list = `[${schedule('a')}]`;
  await apply('schedules.json', list, '--revision', '1732000000');
  expect(await apply('schedules.json', list, '--revision', '1')).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(
      /^escapement: billing@1 is stale, because revision 1732000000 has begun: nothing was written/,
    ),
  });
  const json = await apply('schedules.json', list, '--revision', '1', '--json');
  expect([json.code, JSON.parse(json.stdout)]).toMatchObject([2, { status: 'stale', currentRevision: 1_732_000_000 }]);
  expect(await apply('schedules.json', list, '--revision', '1', '--ignore-stale')).toEqual({
    code: 0,
    stdout: 'billing@1 is stale, because revision 1732000000 has begun: nothing was written.',
    stderr: '',
  });
});

it('source list shows the revision of each source, and source reset sets it back', async () => {
  const env = { DATABASE_URL: ledger().databaseUrl };
  await apply('schedules.json', `[${schedule('a')}]`, '--revision', '1732000000');
  expect((await runCommand(['source', 'list'], env)).stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['SOURCE', 'TENANT', 'REVISION', 'APPLIED', 'SCHEDULES'],
    ['billing', '-', '1732000000', 'whole', '1'],
  ]);
  const reset = await runCommand(['source', 'reset', 'billing', '--revision', '41'], env);
  expect(reset.stdout).toBe("'billing' is at revision 41: this revision and higher ones can be applied again.");
  expect((await apply('schedules.json', `[${schedule('b')}]`, '--revision', '42')).code).toBe(0);
  expect(JSON.parse((await runCommand(['source', 'list', '--json'], env)).stdout)).toEqual({
    source: 'billing',
    revision: 42,
    complete: true,
    schedules: 2,
  });
  const unknown = await runCommand(['source', 'reset', 'biling', '--revision', '1'], env);
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('did you mean billing?')]);
});

it('schedule apply with --prune deletes no more than a quarter and three without --prune-at-most, and says what it would', async () => {
  const all = ['a', 'b', 'c', 'd', 'e'].map((id) => schedule(id));
  await apply('schedules.json', `[${all}]`, '--revision', '1');
  const refused = await apply('schedules.json', `[${all[0]}]`, '--revision', '2', '--prune');
  expect(refused).toEqual({
    code: 1,
    stdout: '',
    stderr:
      "escapement: the file leaves out 4 of the 5 schedules of source 'billing', and --prune deletes 3 at most; give --prune-at-most 4 to delete these:\n- b\n- c\n- d\n- e",
  });
  expect((await apply('schedules.json', `[${all[0]}]`, '--revision', '2', '--prune-at-most', '4')).code).toBe(2);
  const told = await apply('schedules.json', `[${all[0]}]`, '--revision', '2', '--prune', '--prune-at-most', '4');
  expect(told.stdout).toContain('0 created, 0 updated, 4 pruned, 1 unchanged');
});

it('schedule apply with --prune does not take a schedule of a module for one that is declared no more, because it is misspelt', async () => {
  const pair = (b: string) => `export const a = ${module(schedule('a'))}; export const b = ${module(b)};`;
  const list = (b: string) => `export const a = ${module(schedule('a'))}; export const list = [${module(b)}];`;
  await apply('schedules.mjs', pair(schedule('b')), '--revision', '1');
  for (const field of ['scheduleId', 'spec', 'action']) {
    const misspelt = schedule('b').replace(`"${field}"`, '"mistake"');
    for (const content of [pair(misspelt), list(misspelt)]) {
      const { code, stderr } = await apply('schedules.mjs', content, '--revision', '2', '--prune');
      expect([code, stderr]).toEqual([1, expect.stringMatching(/\[1\].* (mistake: is not a field|is missing)/)]);
    }
  }
  expect(await ledger().query('select schedule_id from escapement.schedules where deleted_at is null')).toHaveLength(2);
});

it('schedule apply says what is wrong with a schedule, by its place', async () => {
  const { code, stderr } = await apply('schedules.json', '[{ "scheduleId": "a" }]', '--revision', '1');
  expect([code, stderr]).toEqual([1, expect.stringMatching(/\[0\] 'a' spec: is missing/)]);
});

it('schedule apply reads a module in TypeScript where tsx is installed beside it, and says what to do where it is not', async () => {
  // Syntax that only a compiler can remove.
  const content = `enum Id { Nightly = 'nightly' }
    export const nightly = { ...${module(schedule('x'))}, scheduleId: Id.Nightly as string };`;
  const file = await temporaryFile('schedules.ts', content);
  const applied = async () => {
    const args = [resolve('dist/cli/main.js'), 'schedule', 'apply', file, '--source', 'billing', '--revision', '1'];
    const child = runNode(args, { DATABASE_URL: ledger().databaseUrl }, dirname(file));
    const { code } = await child.ended();
    return { code, output: child.output, errors: child.errors.join() };
  };
  expect(await applied()).toMatchObject({ code: 1, errors: expect.stringContaining('cannot be loaded as a module') });
  await mkdir(join(dirname(file), 'node_modules'));
  await symlink(resolve('node_modules/tsx'), join(dirname(file), 'node_modules/tsx'));
  expect(await applied()).toMatchObject({ code: 0, output: expect.arrayContaining(['+ nightly']) });
});
