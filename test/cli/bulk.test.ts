import { expect, it } from 'vitest';
import { someSchedule, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';

const ledger = useLedger();
const escapement = (...args: string[]) => runCommand(['schedule', ...args], { DATABASE_URL: ledger().databaseUrl });

async function schedules(): Promise<void> {
  for (const scheduleId of ['a', 'b', 'c']) {
    const action = { ...someSchedule().action, taskQueue: scheduleId === 'c' ? 'other' : 'billing' };
    await ledger().client.create(someSchedule({ scheduleId, action }));
  }
}

const paused = async () =>
  (
    await ledger().query<{ id: string }>('select schedule_id as id from escapement.schedules where paused order by 1')
  ).map(({ id }) => id);

it('pauses what a filter names: shown first, not without --yes, and taken back', async () => {
  await schedules();
  const which = ['--query', "taskQueue = 'billing'"];
  const dry = await escapement('pause', ...which, '--dry-run');
  expect(dry).toMatchObject({ code: 0, stderr: '' });
  expect(dry.stdout).toMatch(/^Would pause 2 of 2 schedules that match\.\nSCHEDULE +STATE +NEXT\na +live .*\nb +live /);
  expect(await escapement('pause', ...which)).toMatchObject({ code: 1, stderr: expect.stringContaining('--dry-run') });
  expect(await escapement('pause', ...which, '--yes', '--expect', '3')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('2 schedules match now, not 3'),
  });
  // As of a shell variable that is not set.
  expect(await escapement('pause', '--query', '', '--yes')).toMatchObject({
    code: 1,
    stderr: 'escapement: filter.query: is empty, and would select everything: leave it out',
  });
  expect(await paused()).toEqual([]);
  const done = await escapement('pause', '--task-queue', 'billing', '--yes', '--expect', '2', '--note', 'a release');
  expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Paused 2 of 2 schedules\./) });
  expect(await paused()).toEqual(['a', 'b']);
  const [, undo] = /escapement schedule (undo \S+)' undoes it/.exec(done.stdout)!;
  const undone = await escapement(...undo!.split(' '));
  expect(undone).toMatchObject({ code: 0, stdout: 'Undid the pause of 2 of 2 schedules.' });
  expect(await paused()).toEqual([]);
  expect(await escapement(...undo!.split(' '))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('undoes it'),
  });
});

it('unpauses, triggers and tags many, and exits 1 where one refuses', async () => {
  await schedules();
  await escapement('pause', '--all', '--yes');
  expect((await escapement('unpause', '--query', "scheduleId = 'a'", '--yes')).stdout).toMatch(
    /^Unpaused 1 of 1 schedule\./,
  );
  expect(await paused()).toEqual(['b', 'c']);
  // The command uses the real clock.
  await ledger().client.freezes.create({ scheduleIds: ['b'], to: new Date(Date.now() + 3_600_000) });
  const fired = await escapement('trigger', '--all', '--yes', '--rate', '1000', '--json');
  expect(fired.code).toBe(1);
  expect(JSON.parse(fired.stdout)).toMatchObject({ kind: 'trigger', state: 'done', changed: 2, failed: 1 });
  const attributes = ['--set-search-attribute', 'Team="ops"', 'Tier=null'];
  const tagged = await escapement('tag', '--paused', '--set-owner', 'night', ...attributes, '--yes');
  expect(tagged.stdout).toMatch(/^Tagged 2 of 2 schedules\./);
  expect(await ledger().client.getHandle('c').describe()).toMatchObject({
    owner: 'night',
    searchAttributes: { Team: ['ops'] },
  });
});

it('says by which ID it can be followed before the first is changed', async () => {
  await schedules();
  const { stderr } = await escapement('pause', '--all', '--yes');
  const [operation] = await ledger().client.bulk.list();
  expect(stderr).toMatch(
    /^Operation (\S+)\. If this process is killed, 'escapement schedule bulk follow \1' continues it/,
  );
  expect(stderr).toContain(operation!.operationId);
  // A program gets nothing but the result.
  const asked = await escapement('unpause', '--all', '--yes', '--json');
  expect(asked.stderr).toBe('');
  expect(JSON.parse(asked.stdout)).toMatchObject({ operationId: expect.any(String), changed: 3 });
});

it('lists changes of many, shows one, goes on with it, and cancels it', async () => {
  await schedules();
  const { bulk } = ledger().client;
  const underWay = async () => {
    const stopping = new AbortController();
    const progress = () => stopping.abort();
    const left = await bulk.pause({ all: true }, { signal: stopping.signal, progress, onAbort: 'leave' });
    return left.operationId;
  };
  const id = await underWay();
  const [head, row, ...others] = (await escapement('bulk', 'list', '--state', 'running')).stdout.split('\n');
  expect(head).toMatch(/^OPERATION +WHAT +STATE +DONE +FAILED +BY +ASKED +ENDED$/);
  expect(row).toMatch(new RegExp(`^${id} +pause +waits for a process +0/3 +0 +test +2026-\\S+ +-$`));
  expect(others).toEqual([]);
  expect((await escapement('bulk', 'list', '--state', 'cancelled', '--json')).stdout).toBe('');
  expect((await escapement('bulk', 'show', id)).stdout).toMatch(
    /state +running\nwaits for +a process: .*\nschedules +3: 0 changed, 0 unchanged, 0 failed, 3 left\nwhich +\{"all":true\}/,
  );
  expect(await escapement('bulk', 'follow', id)).toMatchObject({
    code: 0,
    stdout: `Paused 3 of 3 schedules.\n'escapement schedule undo ${id}' undoes it.`,
    stderr: '',
  });
  expect(await paused()).toEqual(['a', 'b', 'c']);
  await escapement('undo', id);
  const another = await underWay();
  expect(await escapement('bulk', 'cancel', another)).toMatchObject({
    code: 0,
    stdout: 'Cancelled. Paused 0 of 3 schedules; 3 left as they were.',
  });
  expect(await escapement('bulk', 'follow', another, '--json')).toMatchObject({ code: 1 });
  expect(await paused()).toEqual([]);
  expect(await escapement('bulk', 'show', 'nothing')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("operation 'nothing' was not found"),
  });
});

it.each([
  [['pause'], 'give the schedule-id before the options'],
  [['pause', '--yes'], 'select schedules by --query or another filter, or give --all'],
  [['pause', 'a', '--all'], 'are for many; leave them out for one'],
  [['trigger', 'a', '--dry-run'], 'are for many; leave them out for one'],
  [['tag', '--set-owner', 'ops'], 'select schedules by --query'],
  [['tag', '--all', '--yes'], 'give --set-owner'],
  [['unpause', '--all', '--rate', '0.1'], 'use a number from 0.5'],
  [['bulk', 'list', '--state', 'over'], 'Allowed choices are running, done, cancelled'],
  [['bulk', 'follow'], "missing required argument 'operation-id'"],
])('schedule %s is wrong usage', async (args, says) => {
  expect(await escapement(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(says) });
});

it('many fire with their own arguments', async () => {
  await schedules();
  const fired = await escapement('trigger', '--all', '--args', '1', '--yes');
  expect(fired).toMatchObject({ code: 1, stderr: expect.stringContaining('--args are only for one schedule') });
  expect(await ledger().query('select 1 from escapement.firings')).toEqual([]);
});
