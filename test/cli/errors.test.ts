import { randomUUID } from 'node:crypto';
import { describe, expect, inject, it } from 'vitest';
import { useLedger } from '../support/ledger';
import { spawnCommand } from '../support/processes/child';
import { runCommand } from '../support/processes/command';

const ledger = useLedger();
const NOBODY = 'postgres://nobody@127.0.0.1:1/none';
const create = ['schedule', 'create', '-s', 'nightly', '--type', 'report', '-t', 'reports'];

/** What a person sees: one sentence, no stack trace. */
function expectSentence({ stderr }: { stderr: string }, pattern: RegExp): void {
  expect(stderr).toMatch(pattern);
  expect(stderr.split('\n')).toHaveLength(1);
}

describe('escapement with bad input says what to do in one sentence, exits 1 and writes nothing', () => {
  it.each<[string, Record<string, string>, RegExp]>([
    ['no database is named', {}, /^escapement: no database: set DATABASE_URL/],
    [
      'the database is no URL',
      { DATABASE_URL: 'my database' },
      /^escapement: the database URL cannot be read; use a form/,
    ],
    [
      'the database is not Postgres',
      { DATABASE_URL: 'mysql://x' },
      /^escapement: the database URL cannot be read; use a form/,
    ],
    ['Postgres does not answer a change', { DATABASE_URL: NOBODY }, /^escapement: Postgres cannot/],
    [
      'nobody knows the host of the database',
      { DATABASE_URL: 'postgres://me@no-such-host.invalid/none' },
      /^escapement: Postgres cannot be reached \(.*no-such-host\.invalid\); DNS gives no address .* host name in DATABASE_URL/,
    ],
  ])('when %s', async (_, env, pattern) => {
    const result = await runCommand([...create, '--cron', '0 2 * * *'], env);
    expect(result.code).toBe(1);
    expectSentence(result, pattern);
  });

  it('when the option for the database is empty, as of an unset variable', async () => {
    const result = await runCommand(['run', '--database-url', ''], { DATABASE_URL: NOBODY });
    expect(result.code).toBe(1);
    expectSentence(result, /^escapement: --database-url is empty: give a URL, or leave the option out$/);
  });

  it('when Postgres does not answer a trigger', async () => {
    const result = await spawnCommand(['run'], { DATABASE_URL: NOBODY });
    expect(result.code).toBe(1);
    expectSentence(result, /^escapement: Postgres cannot be reached \(.*ECONNREFUSED.*\); check/);
  });

  it('when the schema is not migrated', async () => {
    const env = { DATABASE_URL: inject('databaseUrl'), ESCAPEMENT_SCHEMA: 'nowhere' };
    const result = await spawnCommand(['run'], env);
    expect(result.code).toBe(1);
    expectSentence(
      result,
      /^escapement: the database has no Escapement schema 'nowhere'; run 'escapement db migrate --schema nowhere' first$/,
    );
  });

  it('when there is no such schedule', async () => {
    const result = await runCommand(['schedule', 'pause', '-s', 'nihgtly'], { DATABASE_URL: ledger().databaseUrl });
    expect(result.code).toBe(1);
    expectSentence(result, /^escapement: there is no schedule 'nihgtly'; 'escapement schedule list' lists/);
  });

  it.each<[string, string[], RegExp]>([
    [
      'an explanation of no time',
      ['explain', 'nightly', 'yesterday'],
      /^escapement: time: "yesterday" is not a time; use 2026-/,
    ],
    [
      'an exclusion of no occurrence',
      ['schedule', 'exclude', '-s', 'nightly', '2099-01-01T00:00:01Z'],
      /^escapement: .* is not an occurrence; the nearest are /,
    ],
    [
      'an inclusion of what was not excluded',
      ['schedule', 'include', '-s', 'nightly', '2099-01-01T02:00'],
      /^escapement: .* is not excluded$/,
    ],
    [
      'a backfill of the future',
      ['schedule', 'backfill', '-s', 'nightly', '--start', '2098-01-01T00:00', '--end', '2099-01-01T00:00'],
      /^escapement: backfill\.start: is in the future/,
    ],
    [
      'an update from a file that is not there',
      ['schedule', 'update', '-s', 'nightly', '--file', '/nowhere.json'],
      /^escapement: '\/nowhere\.json' cannot be read as JSON/,
    ],
    [
      'an update to a bad time',
      ['schedule', 'update', '-s', 'nightly', '--cron', '61 * * * *'],
      /^escapement: spec\.cron.*61/,
    ],
  ])('when it gets %s', async (_, args, pattern) => {
    const env = { DATABASE_URL: ledger().databaseUrl };
    await runCommand([...create, '--cron', '0 2 * * *'], env);
    const result = await runCommand(args, env);
    expect(result.code).toBe(1);
    expectSentence(result, pattern);
    expect(await ledger().query('select * from escapement.firings')).toEqual([]);
    expect(await ledger().query('select version from escapement.schedules')).toEqual([{ version: 1 }]);
  });

  it.each<[string, string[], RegExp]>([
    ['a bad expression', ['--cron', '61 * * * *'], /^escapement: spec\.cron.*61/],
    [
      'a bad zone',
      ['--cron', '0 2 * * *', '--time-zone', 'Europe/Belin'],
      /^escapement: spec\.timezone.*Europe\/Berlin/,
    ],
    ['a bad interval', ['--interval', 'often'], /^escapement: spec\.intervals/],
  ])('when create gets %s', async (_, args, pattern) => {
    const result = await runCommand([...create, ...args], { DATABASE_URL: ledger().databaseUrl });
    expect(result.code).toBe(1);
    expectSentence(result, pattern);
    expect(await ledger().query('select * from escapement.schedules')).toEqual([]);
  });
});

describe('escapement with wrong usage', () => {
  it.each([
    ['an unknown command', ['rnu']],
    ['an unknown option', ['run', '--fast']],
    ['a dry run before a subcommand that has none', ['freeze', '--dry-run', 'end', randomUUID()]],
    ['a database before a subcommand', ['freeze', '--database-url', NOBODY, 'list']],
    ['an option of import before its subcommand', ['import', '--tenant', 'acme', 'crontab', '/dev/null']],
    ['a missing option', ['schedule', 'pause']],
    ['a bad value', ['firing', 'list', '--from', 'yesterday']],
    ['a time that is only a number', ['firing', 'list', '--from', '1']],
    ['a day that is none', ['schedule', 'list', '--to', '2026-02-30']],
    ['a bad time', ['schedule', 'next', '0 2 * * *', '--from', 'soon']],
    ['a bad count', ['schedule', 'next', '0 2 * * *', '--count', '20000']],
    ['no times', create],
    ['an update of nothing', ['schedule', 'update', '-s', 'nightly']],
    ['a backfill without end', ['schedule', 'backfill', '-s', 'nightly', '--start', '2026-01-01T00:00:00Z']],
    ['an unknown overlap', ['schedule', 'trigger', '-s', 'nightly', '--overlap-policy', 'SKIPP']],
    ['a bad limit', [...create, '--cron', '0 2 * * *', '--catchup-limit', '-1']],
    ['an explanation without time', ['explain', 'nightly']],
    ['a bad rate', ['dead-letter', 'redrive', '--all', '--rate', '0']],
    ['a bad level', ['run', '--log-level', 'loud']],
  ])('exits 2 on %s', async (_, args) => {
    const { code, stderr } = await runCommand(args, { DATABASE_URL: NOBODY });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: /);
    expect(stderr).not.toMatch(/at .*\.ts:\d+/);
  });
});
