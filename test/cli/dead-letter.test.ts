import { randomUUID } from 'node:crypto';
import { expect, inject, it } from 'vitest';
import { temporaryFile } from '../support/folder';
import { someSchedule, useLedger } from '../support/ledger';
import { runCli } from '../support/processes/child';
import { runCommand } from '../support/processes/command';

const ledger = useLedger();
const deadLetter = (...args: string[]) =>
  runCommand(['dead-letter', ...args], {
    DATABASE_URL: ledger().databaseUrl,
    TEMPORAL_ADDRESS: inject('temporalAddress'),
  });

async function letterOf(kind: 'start' | 'workflow' | 'parked'): Promise<string> {
  const { scheduleId } = await ledger().client.create(someSchedule());
  const { scheduledTime } = await ledger().client.getHandle(scheduleId).trigger();
  const [state, outcome] = { start: ['abandoned'], workflow: ['closed', 'failed'], parked: ['linked'] }[kind];
  const letterId = randomUUID();
  await ledger().query('update escapement.firings set state = $2, outcome = $3 where schedule_id = $1', [
    scheduleId,
    state,
    outcome ?? null,
  ]);
  await ledger().query(
    `insert into escapement.dead_letters (letter_id, schedule_id, scheduled_time, epoch, kind, reason, namespace, workflow_id, run_id,
       created_at, updated_at) values ($1, $2, $5, 0, $3, 'failed', 'default', $4, $4, now(), now())`,
    [letterId, scheduleId, kind, letterId, scheduledTime],
  );
  return letterId;
}

it('redrives in bulk, counts what is refused and fails then, with nothing but the counts on a pipe', async () => {
  const [start, workflow] = [await letterOf('start'), await letterOf('workflow')];
  const dryRun = await deadLetter('redrive', '--all', '--dry-run');
  expect({ ...dryRun, stdout: dryRun.stdout.split('\n') }).toEqual({
    code: 1,
    stdout: [
      expect.stringMatching(new RegExp(`^${start}  schedule-.*: restart; every step runs, as schedule-.*-workflow-`)),
      expect.stringMatching(
        new RegExp(`^${workflow}  schedule-.*: not redriven: cannot resume .* use mode 'restart'$`),
      ),
      'Would redrive 1 of 2, 1 refused (CannotResumeError).',
    ],
    stderr: '',
  });
  const { code, stdout } = await deadLetter('redrive', '--all', '--kind', 'start', '--json');
  expect({ code, counts: JSON.parse(stdout) }).toEqual({ code: 0, counts: { total: 1, redriven: 1, refused: {} } });
  expect(JSON.parse((await deadLetter('show', start, '--json')).stdout)).toMatchObject({ state: 'redriving' });
  expect(JSON.parse((await deadLetter('list', '--state', 'open', '--json')).stdout)).toMatchObject({
    letterId: workflow,
  });
});

it('a dry run goes on past a letter about which Temporal does not say what else runs again, and says so', async () => {
  const workflow = await letterOf('workflow');
  await ledger().query(`update escapement.dead_letters set namespace = 'elsewhere'`);
  const start = await letterOf('start');
  const { code, stdout } = await deadLetter('redrive', '--all', '--dry-run');
  expect({ code, lines: stdout.split('\n') }).toEqual({
    code: 0,
    lines: [
      expect.stringMatching(
        new RegExp(
          `^${workflow} .*: resume; Temporal did not say what else runs again \\(.*elsewhere is not found.*\\)$`,
        ),
      ),
      expect.stringMatching(new RegExp(`^${start} .*: restart;`)),
      'Would redrive 2 of 2.',
    ],
  });
});

it('a dry run of one letter says where Temporal cannot be reached and what to check', async () => {
  const letterId = await letterOf('workflow');
  const nobody = { DATABASE_URL: ledger().databaseUrl, TEMPORAL_ADDRESS: '127.0.0.1:1' };
  const { code, stderr } = await runCommand(['dead-letter', 'redrive', letterId, '--dry-run'], nobody);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^escapement: Temporal cannot be reached at 127\.0\.0\.1:1 \(.*\); check that Temporal is running/,
  );
});

it.each([
  ['a flag', ['--namespace-profile', 'default=here'], {}],
  ['the environment', [], { ESCAPEMENT_NAMESPACE_PROFILES: 'default=here' }],
])("asks the server of the letter's namespace, from the profile named by %s", async (_, args, env) => {
  const letterId = await letterOf('workflow');
  const file = await temporaryFile('temporal.toml', `[profile.here]\naddress = "${inject('temporalAddress')}"\n`);
  const { code, stderr } = await runCommand(['dead-letter', 'redrive', letterId, '--dry-run', ...args], {
    DATABASE_URL: ledger().databaseUrl,
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    TEMPORAL_CONFIG_FILE: file,
    ...env,
  });
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Temporal no longer has its run') });
});

it('escapement serve asks it too', async () => {
  const letterId = await letterOf('workflow');
  const profile = `[profile.here]\naddress = "${inject('temporalAddress')}"\n`;
  const serving = runCli(['serve', '--port', '0', '--json', '--namespace-profile', 'default=here'], {
    DATABASE_URL: ledger().databaseUrl,
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    TEMPORAL_CONFIG_FILE: await temporaryFile('temporal.toml', profile),
  });
  const { url } = JSON.parse(await serving.line(/"url"/)) as { url: string };
  const answer = await fetch(`${url}/v1/dead-letters/${letterId}/redrive`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ dryRun: true }),
  });
  expect(await answer.json()).toMatchObject({ detail: expect.stringContaining('Temporal no longer has its run') });
  serving.kill('SIGTERM');
  expect(await serving.ended()).toEqual({ code: 0, signal: null });
});

it('takes the version to pin to whole, and only where it is to pin', async () => {
  const [behavior, deployment, build] = ['behavior', 'deployment-name', 'build-id'].map(
    (name) => `--versioning-override-${name}`,
  ) as [string, string, string];
  const letterId = await letterOf('start');
  for (const wrong of [
    [behavior, 'pinned', build, '2'],
    [deployment, 'orders'],
    [behavior, 'auto_upgrade', build, '2'],
  ]) {
    expect(await deadLetter('redrive', letterId, ...wrong)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--versioning-override-build-id together'),
    });
  }
  const { code, stdout } = await deadLetter(
    ...['redrive', letterId, behavior, 'pinned', deployment, 'orders', build, '2', '--json'],
  );
  expect({ code, redrive: JSON.parse(stdout).letter.redrive }).toMatchObject({
    ...{ code: 0, redrive: { versioningOverride: { pinnedTo: { deploymentName: 'orders', buildId: '2' } } } },
  });
  const other = await letterOf('start');
  expect(await deadLetter('redrive', '--all', '--kind', 'start', behavior, 'auto_upgrade')).toMatchObject({ code: 0 });
  expect(JSON.parse((await deadLetter('show', other, '--json')).stdout).redrive).toMatchObject({
    versioningOverride: 'AUTO_UPGRADE',
  });
});

it('names the letter that is tried first, and says how to learn why one is refused', async () => {
  const refused = await letterOf('workflow');
  const start = await letterOf('start');
  const first = ['redrive', '--all', '--first'];
  expect(await deadLetter(...first, '--kind', 'start')).toEqual({
    code: 0,
    stdout: `Redriving 1 of 1.\n'escapement dead-letter show ${start}' shows the result.`,
    stderr: '',
  });
  expect(await deadLetter(...first)).toEqual({
    code: 1,
    stdout: 'Redriving 0 of 1, 1 refused (CannotResumeError).\nRun the same with --dry-run to see why for each letter.',
    stderr: '',
  });
  expect((await deadLetter(...first, '--dry-run')).stdout).toContain(`cannot resume '${refused}'`);
});

it('lists so many, and says beside them how to get the next', async () => {
  const letters = [await letterOf('start'), await letterOf('start')];
  const first = await deadLetter('list', '--limit', '1', '--json');
  const [, cursor] = /^There are more: --cursor (\S+)$/.exec(first.stderr)!;
  expect((await deadLetter('list', '--limit', '1')).stderr).toBe(first.stderr);
  const next = await deadLetter('list', '--limit', '1', '--cursor', cursor!, '--json');
  expect(next).toMatchObject({ code: 0, stderr: '' });
  const listed = [first, next].map(({ stdout }) => JSON.parse(stdout).letterId);
  expect(listed.sort()).toEqual(letters.sort());
  expect(await deadLetter('list', '--limit', '2')).toMatchObject({ code: 0, stderr: '' });
  expect(await deadLetter('list', '--cursor', 'x')).toMatchObject({
    code: 1,
    stderr: 'escapement: cursor: is not a cursor; give the nextCursor of the previous page',
  });
});

it('groups what is open, or what is in another state: so many are still redriven', async () => {
  for (let count = 0; count < 3; count++) await letterOf('start');
  await deadLetter('redrive', '--all', '--first');
  const counted = async (...args: string[]) =>
    JSON.parse((await deadLetter('groups', ...args, '--json')).stdout).letters;
  expect([await counted(), await counted('--state', 'redriving'), await counted('--state', 'all')]).toEqual([2, 1, 3]);
});

it('discards with a reason, and fails with one sentence', async () => {
  const letterId = await letterOf('workflow');
  expect(await deadLetter('discard', letterId)).toMatchObject({ code: 2, stdout: '' });
  expect((await deadLetter('discard', letterId, '--note', 'paid')).stdout).toBe(`Discarded '${letterId}'.`);
  expect(await deadLetter('redrive', letterId)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^escapement: cannot redrive .* discarded.*$/),
  });
});

it('completes a parked step with a result in JSON, and refuses what is none', async () => {
  const letterId = await letterOf('parked');
  for (const bad of [[], ['--result', '{receipt']]) {
    expect(await deadLetter('complete', letterId, ...bad)).toMatchObject({ code: 2, stdout: '' });
  }
  const done = await deadLetter('complete', letterId, '--result', '{"receipt": 17}', '--json');
  expect(JSON.parse(done.stdout)).toMatchObject({ state: 'redriving', redrive: { mode: 'complete' } });
  expect((await deadLetter('complete', letterId, '--result', '18')).stderr).toMatch(
    /asked at .* to complete its step; wait/,
  );
});

it('discards in bulk with a count before it, and takes a discard back', async () => {
  const letterId = await letterOf('workflow');
  await letterOf('start');
  const all = ['discard', '--all', '--kind', 'workflow', '--note', 'paid'];
  expect((await deadLetter(...all, '--dry-run')).stdout).toBe('Would discard 1 of 1.');
  // To count them needs no reason yet.
  expect((await deadLetter(...all.slice(0, -2), '--dry-run')).stdout).toBe('Would discard 1 of 1.');
  expect(await deadLetter(...all.slice(0, -2))).toMatchObject({ code: 2, stderr: expect.stringContaining('--note') });
  expect(await deadLetter(...all)).toMatchObject({ code: 0, stdout: 'Discarding 1 of 1.' });
  expect(await deadLetter('discard', letterId, '--all', '--note', 'paid')).toMatchObject({ code: 2, stdout: '' });
  expect(await deadLetter('restore', letterId)).toMatchObject({ code: 0, stdout: `Open again: '${letterId}'.` });
  expect(await deadLetter('restore', letterId)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`cannot restore the dead letter '${letterId}', which is open`),
  });
});

it('takes an age wherever it takes filters, and refuses what is none', async () => {
  const old = await letterOf('start');
  await letterOf('start');
  await ledger().query(
    `update escapement.dead_letters set created_at = now() - interval '3 hours' where letter_id = $1`,
    [old],
  );
  const aged = ['--older-than', '2 hours'];
  expect(JSON.parse((await deadLetter('list', ...aged, '--json')).stdout)).toMatchObject({ letterId: old });
  expect(JSON.parse((await deadLetter('groups', ...aged, '--json')).stdout)).toMatchObject({ letters: 1 });
  expect((await deadLetter('discard', '--all', ...aged, '--note', 'late', '--dry-run')).stdout).toMatch(
    /^Would .* 1 of 1/,
  );
  expect((await deadLetter('redrive', '--all', ...aged)).stdout).toBe('Redriving 1 of 1.');
  expect(await deadLetter('redrive', old, ...aged)).toMatchObject({ code: 2, stdout: '' });
  expect(await deadLetter('list', '--older-than', 'long')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`olderThan: "long" is not a duration`),
  });
});

it.each([
  ['neither a letter nor --all', []],
  ['both', ['id', '--all']],
  ['a filter with a letter', ['id', '--kind', 'start']],
])('redrive refuses %s', async (_, args) => {
  expect(await deadLetter('redrive', ...args)).toMatchObject({ code: 2, stdout: '' });
});
