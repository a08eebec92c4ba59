import { describe, expect, it } from 'vitest';
import { temporaryFile } from '../support/folder';
import { someSchedule, useLedger } from '../support/ledger';
import { spawnCommand } from '../support/processes/child';
import { runCommand } from '../support/processes/command';
import { invertingCodec } from '../support/workers/codec';

const ledger = useLedger();
const escapement = (...args: string[]) => runCommand(args, { DATABASE_URL: ledger().databaseUrl });

describe('escapement schedule', () => {
  it('takes a TEMPORAL_NAMESPACE that is set to nothing for none', async () => {
    const create = ['schedule', 'create', '-s', 'nightly', '--cron', '0 2 * * *', '--type', 'report', '-t', 'reports'];
    const environment = { DATABASE_URL: ledger().databaseUrl, TEMPORAL_NAMESPACE: '' };
    expect(await spawnCommand(create, environment)).toMatchObject({ code: 0, stderr: '' });
    expect(await ledger().client.getHandle('nightly').describe()).toMatchObject({ namespace: 'default' });
  });

  it('leads a schedule through its life', async () => {
    const created = await escapement(
      ...['schedule', 'create', '-s', 'nightly', '--cron', '0 2 * * *', '--time-zone', 'Europe/Berlin'],
      ...['--type', 'report', '-t', 'reports', '-i', '"emea"', '{"deep":1}', '--json'],
    );
    expect(created).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(created.stdout).nextTimes).toHaveLength(5);

    const described = JSON.parse((await escapement('schedule', 'describe', '-s', 'nightly', '--json')).stdout);
    expect(described).toMatchObject({
      spec: { cron: ['0 2 * * *'], timezone: 'Europe/Berlin' },
      action: { workflowType: 'report', taskQueue: 'reports', args: ['emea', { deep: 1 }] },
    });

    expect((await escapement('schedule', 'pause', '-s', 'nightly', '--reason', 'audit')).stdout).toBe(
      "Paused 'nightly'.",
    );
    expect((await escapement('schedule', 'list')).stdout).toMatch(
      /^SCHEDULE +WORKFLOW +STATE +SINCE +BY +NEXT\nnightly +report +paused +\S+Z +\S+ +-$/,
    );
    const shown = (await escapement('schedule', 'describe', 'nightly')).stdout;
    expect(shown).toMatch(
      /^FIELD +VALUE\nschedule +nightly\nnamespace +default\nstate +paused since \S+Z by \S+\nwhy +audit\n/,
    );
    expect(shown).toMatch(
      /\nfires +At 02:00\nfires +Time zone Europe\/Berlin\nworkflow +report\n.*\narguments +\["emea",\{"deep":1\}\]\n/s,
    );
    expect(shown).toMatch(/\ncatchupWindow +1 year\n/);
    expect(shown).toMatch(/\nversion +1\nchanged +\S+Z\nnext +(\S+T0[01]:00:00Z(, )?){5}\n/);
    expect((await escapement('schedule', 'unpause', '-s', 'nightly')).code).toBe(0);

    const fired = await escapement('schedule', 'trigger', '-s', 'nightly', '--json');
    expect(JSON.parse(fired.stdout)).toMatchObject({ kind: 'manual', state: 'buffered' });
    expect((await escapement('firing', 'list', '-s', 'nightly')).stdout).toMatch(
      /\n\S+\.001Z +nightly +manual +buffered/,
    );

    expect(JSON.parse((await escapement('stats', 'nightly', '--json')).stdout)).toMatchObject({ total: 1, waiting: 1 });
    expect((await escapement('stats')).stdout).toMatch(
      /^COUNT +VALUE\ntotal +1\nwaiting +1\nclaimed +0\noldest claim +-\n/,
    );

    expect((await escapement('schedule', 'delete', '-s', 'nightly')).code).toBe(0);
    expect((await escapement('schedule', 'list', '--json')).stdout).toBe('');
  });

  it('changes one from now on, by flags or whole by a file, and lists its versions', async () => {
    await create();
    const updated = await escapement(
      'schedule',
      'update',
      '-s',
      'nightly',
      '--cron',
      '0 3 * * *',
      '--max-concurrent',
      '2',
    );
    expect(updated.stdout).toMatch(/^'nightly' is at version 2\. Next: \S+T0[12]:00:00Z, /);
    const described = JSON.parse((await escapement('schedule', 'describe', '-s', 'nightly', '--json')).stdout);
    expect(described).toMatchObject({
      spec: { cron: ['0 3 * * *'], timezone: 'Europe/Berlin' },
      action: { args: ['emea'] },
      policies: { maxConcurrent: 2, catchupLimit: 100 },
    });

    const changed = { ...described, policies: { catchupLimit: null } };
    const file = await temporaryFile('nightly.json', JSON.stringify(changed));
    expect(await escapement('schedule', 'update', '-s', 'nightly', '--file', file)).toMatchObject({ code: 0 });
    const versions = (await escapement('schedule', 'versions', '-s', 'nightly', '--json')).stdout.split('\n');
    expect(
      versions.map((line) => JSON.parse(line)).map(({ version, policies }) => [version, policies.maxConcurrent]),
    ).toEqual([
      [3, undefined],
      [2, 2],
      [1, undefined],
    ]);
    expect((await escapement('schedule', 'versions', '-s', 'nightly')).stdout).toMatch(
      /^VERSION +CREATED +ACTOR +CHANGED +WORKFLOW +SPEC\n3 +\S+Z +\S+ +policies.catchupLimit, policies.maxConcurrent +report +\{"cron"/,
    );
  });

  it('refuses a file with the info of a state that is over: it would undo a pause, or give back a used action', async () => {
    await create();
    const described = async () =>
      JSON.parse((await escapement('schedule', 'describe', '-s', 'nightly', '--json')).stdout);
    const update = async (definition: object) => {
      const file = await temporaryFile('nightly.json', JSON.stringify(definition));
      const { code, stderr } = await escapement('schedule', 'update', '-s', 'nightly', '--file', file);
      return [code, stderr];
    };
    const { info, ...definition } = await described();
    expect((await escapement('schedule', 'pause', '-s', 'nightly')).code).toBe(0);
    expect(await update({ ...definition, info })).toEqual([
      1,
      expect.stringMatching(
        /^escapement: 'nightly' was changed after '.*nightly\.json' was written: describe it again, or remove 'info' and 'definition' from the file/,
      ),
    ]);
    expect(await described()).toMatchObject({ state: { paused: true } });
    expect(await update(definition)).toEqual([0, '']);
    expect(await described()).toMatchObject({ state: { paused: false } });

    expect((await escapement('schedule', 'update', '-s', 'nightly', '--remaining-actions', '1')).code).toBe(0);
    const once = await described();
    // As a firing leaves it.
    await ledger().query('update escapement.timers set remaining_actions = 0');
    expect(await update(once)).toEqual([
      1,
      expect.stringMatching(/^escapement: 'nightly' has 0 remaining actions, but 1 in '.*': correct that/),
    ]);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    expect((await escapement('schedule', 'pause', '-s', 'nightly', '--until', tomorrow)).code).toBe(0);
    const paused = await described();
    // Its end has come, and no trigger has written that yet.
    await ledger().query(`update escapement.schedules set paused_until = now() - interval '1 minute'`);
    expect(await update(paused)).toEqual([1, expect.stringContaining('was changed after')]);
    expect((await escapement('schedule', 'unpause', '-s', 'nightly')).code).toBe(0);

    expect(await update({ ...(await described()), policies: { catchupLimit: 3 } })).toEqual([0, '']);
    expect(await described()).toMatchObject({ state: { remainingActions: 0 }, policies: { catchupLimit: 3 } });
  });

  it('pauses and updates one whose arguments it cannot decode', async () => {
    const scheduleId = "it's \\nightly";
    const encrypting = ledger().newClient({ dataConverter: { payloadCodecs: [invertingCodec] } });
    await encrypting.create(someSchedule({ scheduleId, action: { ...someSchedule().action, args: ['emea'] } }));
    const until = new Date(Date.now() + 86_400_000).toISOString();
    const paused = await escapement('schedule', 'pause', scheduleId, '--until', until, '--json');
    expect(paused).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(paused.stdout)).toEqual({ scheduleId, paused: true, pausedUntil: until, handedOver: [] });
    const times = ['--cron', '0 3 * * *', '--remaining-actions', '7'];
    const updated = await escapement('schedule', 'update', scheduleId, ...times, '--json');
    expect(updated).toMatchObject({ code: 0, stderr: '' });
    const { nextTimes, ...rest } = JSON.parse(updated.stdout);
    expect(rest).toEqual({ scheduleId, version: 2, handedOver: [] });
    expect(nextTimes).toEqual(Array(7).fill(expect.stringMatching(/T03:00:00\.000Z$/)));
  });

  it('backfills, excludes, includes, and explains what became of each time', async () => {
    await create();
    const range = ['-s', 'nightly', '--start', '2026-01-01T00:00', '--end', '2026-01-03T02:00'];
    expect((await escapement('schedule', 'backfill', ...range, '--dry-run')).stdout).toBe(
      'Would fill 3 of 3 occurrences, 2026-01-01T01:00:00Z to 2026-01-03T01:00:00Z, of which overlap skips 2; 0 have a firing already.',
    );
    const refused = await escapement('schedule', 'backfill', ...range);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^escapement: overlap would skip 2 of the 3, and nothing was written; give --overlap-policy/,
      ),
    ]);
    const filled = await escapement('schedule', 'backfill', ...range, '--overlap-policy', 'BUFFER_ALL', '--json');
    expect(JSON.parse(filled.stdout)).toMatchObject({ occurrences: 3, filled: 3 });
    expect((await escapement('explain', 'nightly', '2026-01-01T02:00')).stdout).toMatch(
      /^Thu 2026-01-01 02:00:00 \+01:00: its backfill \(asked for by \S+\) has waited since .* to be claimed as workflow 'nightly-workflow-2026-01-01T01:00:00Z'/,
    );

    const time = '2099-01-01T02:00';
    expect((await escapement('schedule', 'exclude', '-s', 'nightly', time)).stdout).toBe(
      "Excluded 2099-01-01T02:00 from 'nightly'.",
    );
    expect(JSON.parse((await escapement('explain', 'nightly', time, '--json')).stdout)).toMatchObject({
      answer: 'firing',
      firing: { state: 'skipped', reason: 'excluded' },
    });
    expect((await escapement('schedule', 'include', '-s', 'nightly', time)).code).toBe(0);
    expect(JSON.parse((await escapement('explain', 'nightly', time, '--json')).stdout)).toMatchObject({
      answer: 'not_yet',
      checkAt: '2099-01-01T01:00:00.000Z',
    });
  });
});

function create() {
  return escapement(
    ...['schedule', 'create', '-s', 'nightly', '--cron', '0 2 * * *', '--time-zone', 'Europe/Berlin'],
    ...['--type', 'report', '-t', 'reports', '-i', '"emea"'],
  );
}
