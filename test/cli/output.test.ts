import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { someSchedule, useLedger } from '../support/ledger';
import { withoutServers } from '../support/processes/child';
import { runCommand } from '../support/processes/command';

const ledger = useLedger();
const MAIN = resolve(__dirname, '../../dist/cli/main.js');

it('a reader that has read enough ends the command quietly', async () => {
  const list = Array.from({ length: 2_000 }, (_, index) => someSchedule({ scheduleId: `${'s'.repeat(100)}-${index}` }));
  await ledger().client.apply(list, { source: 'many', revision: 1 });
  const child = spawn(process.execPath, [MAIN, 'schedule', 'list', '--json'], {
    env: { ...withoutServers(), DATABASE_URL: ledger().databaseUrl },
  });
  const errors: string[] = [];
  child.stderr.on('data', (text) => errors.push(String(text)));
  await once(child.stdout, 'data');
  child.stdout.destroy();
  const [code] = await once(child, 'close');
  expect([code, errors]).toEqual([0, []]);
});

it('a command that changes something finishes it although nobody reads on, and keeps its exit code', async () => {
  const migrateUnread = () => {
    const env = { ...withoutServers(), DATABASE_URL: ledger().databaseUrl, ESCAPEMENT_SCHEMA: 'unread' };
    const child = spawn(process.execPath, [MAIN, 'db', 'migrate'], { env });
    child.stdout.destroy();
    child.stderr.destroy();
    return once(child, 'close');
  };
  await ledger().query('create schema unread; create table unread.firings (is_in_the_way int)');
  expect(await migrateUnread()).toEqual([1, null]);

  await ledger().query('drop table unread.firings');
  expect(await migrateUnread()).toEqual([0, null]);
  const applied = (schema: string) => ledger().query(`select name from ${schema}.migrations order by name`);
  expect(await applied('unread')).toEqual(await applied('escapement'));
});

it('text from workflows and strangers moves no cursor of a person’s terminal', async () => {
  const hostile = 'fine\u001b[2K\u009b1A\u202egnp.exe\r\nlast';
  await ledger().client.create(someSchedule({ scheduleId: 'nightly', state: { note: hostile } }));
  await ledger().client.getHandle('nightly').trigger();
  await ledger().query('update escapement.firings set reason = $1', [hostile]);
  const env = { DATABASE_URL: ledger().databaseUrl };
  const table = await runCommand(['firing', 'list'], env);
  expect(table.stdout).toContain('fine\\u001b[2K\\u009b1A\\u202egnp.exe\\nlast');
  const described = await runCommand(['schedule', 'describe', '-s', 'nightly'], env);
  expect(described.stdout).toContain('fine\\u001b[2K\\u009b1A\\u202egnp.exe\\nlast');
  const json = await runCommand(['schedule', 'describe', '-s', 'nightly', '--json'], env);
  for (const character of ['\u001b', '\u009b', '\u202e', '\r']) expect(json.stdout).not.toContain(character);
  expect(JSON.parse(json.stdout)).toMatchObject({ state: { note: hostile } });
  const error = await runCommand(['schedule', 'describe', '-s', 'no\u009b2Jbody'], env);
  expect([error.code, error.stderr]).toEqual([1, expect.stringContaining("'no\\u009b2Jbody'")]);
});
