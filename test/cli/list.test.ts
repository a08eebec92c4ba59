import { expect, it } from 'vitest';
import { someSchedule, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';

const ledger = useLedger('2026-03-01T00:30:00Z');
const escapement = (...args: string[]) => runCommand(args, { DATABASE_URL: ledger().databaseUrl });
const lines = (stdout: string) => stdout.split('\n').filter(Boolean);

it('schedule list filters, orders, and goes on by cursor', async () => {
  const { client } = ledger();
  await client.create(someSchedule({ scheduleId: 'late', spec: { cron: '0 7 * * *' }, tenant: 'acme' }));
  await client.create(someSchedule({ scheduleId: 'soon', spec: { cron: '0 5 * * *' } }));
  await client.create(someSchedule({ scheduleId: 'asleep', state: { paused: true } }));
  const list = async (...args: string[]) =>
    lines((await escapement('schedule', 'list', '--json', ...args)).stdout).map((line) => JSON.parse(line).scheduleId);
  expect(await list()).toEqual(['asleep', 'late', 'soon']);
  expect(await list('--order-by', 'nextFireAt')).toEqual(['soon', 'late', 'asleep']);
  expect(await list('--paused')).toEqual(['asleep']);
  expect(await list('--no-paused', '--tenant', 'acme')).toEqual(['late']);
  const ofTenant = await runCommand(['schedule', 'list', '--json'], {
    DATABASE_URL: ledger().databaseUrl,
    ESCAPEMENT_TENANT: 'acme',
  });
  expect(lines(ofTenant.stdout).map((line) => JSON.parse(line).scheduleId)).toEqual(['late']);
  expect(await list('--text', 'OO')).toEqual(['soon']);
  expect(await list('--to', '2026-03-01T06:00:00Z')).toEqual(['soon']);
  expect(await list('--from', '2026-03-01T05:30', '--to', '2026-03-02')).toEqual(['late']);
  expect(await list('--type', 'another')).toEqual([]);

  const first = await escapement('schedule', 'list', '--limit', '2');
  expect(first.stdout).toMatch(
    /^SCHEDULE +WORKFLOW +STATE +SINCE +BY +NEXT\nasleep +echoFiring +paused +2026-03-01T00:30:00Z +test +-\nlate +echoFiring +live +- +- +\S+$/,
  );
  const [, cursor] = /^There are more: --cursor (\S+)$/.exec(first.stderr)!;
  expect(await list('--limit', '2', '--cursor', cursor!)).toEqual(['soon']);
  expect(await escapement('schedule', 'list', '--cursor', 'x')).toMatchObject({
    code: 1,
    stderr: 'escapement: cursor: is not a cursor; give the nextCursor of the previous page',
  });
});

it('alert list says that there are more than --limit, and how to see them', async () => {
  await ledger().query(`insert into escapement.alerts (alert_id, condition, subject, opened_at, last_seen_at, looked_at, count, text)
    select gen_random_uuid(), 'cap_full', n, at, at, at, 1, 'a cap' from generate_series(1, 201) n, (select now() as at) x`);
  const hint = 'There are more: --limit 10000';
  for (const json of [[], ['--json']]) {
    expect(await escapement('alert', 'list', ...json)).toMatchObject({ code: 0, stderr: hint });
    expect(await escapement('alert', 'list', '--limit', '201', ...json)).toMatchObject({ code: 0, stderr: '' });
  }
  expect(lines((await escapement('alert', 'list', '--json', '--limit', '3')).stdout)).toHaveLength(3);
});

it('freeze list says that there are more than --limit, and how to see them', async () => {
  for (const to of ['2026-03-02Z', '2026-03-03Z'])
    await ledger().client.freezes.create({ all: true, to: new Date(to) });
  for (const json of [[], ['--json']]) {
    const list = (...args: string[]) => escapement('freeze', 'list', '--ended', ...args, ...json);
    expect(await list('--limit', '1')).toMatchObject({ code: 0, stderr: 'There are more: --limit 10000' });
    expect(await list('--limit', '2')).toMatchObject({ code: 0, stderr: '' });
  }
  const { stdout } = await escapement('freeze', 'list', '--ended', '--json', '--limit', '1');
  expect(lines(stdout)).toHaveLength(1);
});

it('firing list filters, orders, and goes on by cursor', async () => {
  const { client } = ledger();
  const one = await client.create(someSchedule({ scheduleId: 'one', tenant: 'acme' }));
  const other = await client.create(someSchedule({ scheduleId: 'other' }));
  for (const handle of [one, other, other]) await handle.trigger('ALLOW_ALL');
  const list = async (...args: string[]) =>
    lines((await escapement('firing', 'list', '--json', ...args)).stdout).map((line) => JSON.parse(line).scheduleId);
  expect(await list()).toEqual(['other', 'other', 'one']);
  expect(await list('--oldest-first')).toEqual(['one', 'other', 'other']);
  expect(await list('--tenant', 'acme')).toEqual(['one']);
  expect(await list('--kind', 'manual', 'backfill', '--state', 'buffered')).toHaveLength(3);
  expect(await list('--outcome', 'failed')).toEqual([]);
  const { stderr } = await escapement('firing', 'list', '--limit', '2');
  const [, cursor] = /^There are more: --cursor (\S+)$/.exec(stderr)!;
  expect(await list('--limit', '2', '--cursor', cursor!)).toEqual(['one']);
});
