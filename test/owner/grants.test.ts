import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, inject, it } from 'vitest';
import { EscapementClient } from '../../index';
import { grant, grantsFor } from '../../owner/grants';
import { someSchedule, uniqueName, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';

const ledger = useLedger('2026-03-01T00:30:00Z');

function as(role: string): string {
  const url = new URL(ledger().databaseUrl);
  url.searchParams.set('options', `-c role=${role}`);
  return url.href;
}

async function newRole(name: string): Promise<string> {
  const role = uniqueName(name).replaceAll('-', '_');
  await ledger().query(`create role ${role}`);
  ledger().beforeClose(async () => {
    await ledger().query(`drop owned by ${role}; drop role ${role}`);
  });
  return role;
}

/** A role with what `db grants --apply` gives it; it goes with the ledger. */
async function granted(use: string): Promise<string> {
  const role = await newRole(use);
  const { code, stdout } = await runCommand(['db', 'grants', '--role', role, '--for', use, '--apply'], {
    DATABASE_URL: ledger().databaseUrl,
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: `Granted ${role} what ${use} need.` });
  return role;
}

it('the documented grants are those that the command prints', async () => {
  const documented = /```sql\n(grant [\s\S]*?)\n```/.exec(
    readFileSync(join(__dirname, '../../docs/tables.md'), 'utf8'),
  )![1]!;
  const { code, stdout } = await runCommand(['db', 'grants', '--role', 'my_role']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: documented });
  expect(grantsFor('escapement', 'my_role').join(';\n')).toBe(documented.replace(/;$/, ''));
});

it('a schema whose name may be a reserved word stands in quotes', () => {
  expect(grantsFor('order', 'my_role')[0]).toBe('grant usage on schema "order" to "my_role"');
});

it('the main path runs as roles of which each may do its own part alone', async () => {
  const [trigger, client, reader] = [await granted('trigger'), await granted('client'), await granted('reader')];
  const now = () => new Date(ledger().clock.now());
  const writer = new EscapementClient({ connectionString: as(client), now });
  const watcher = new EscapementClient({ connectionString: as(reader), now });
  const other = new EscapementClient({ connectionString: as(trigger), now });
  for (const one of [writer, watcher, other]) ledger().beforeClose(() => one.close());
  const handle = await writer.create(someSchedule());
  const { scheduleId } = handle;
  const running = await ledger().trigger({ connectionString: as(trigger) });
  await running.passes.heartbeat();
  await running.passes.sweep();
  ledger().clock.set('2026-03-01T01:00:00Z');
  expect((await running.passes.claim()).claimed).toHaveLength(1);
  expect(await running.passes.dispatch()).toMatchObject({ linked: 1 });
  await running.passes.observe();
  await running.passes.reconcile();
  await running.passes.alert();
  expect(ledger().log.lines.filter(({ message }) => /rights/.test(message))).toEqual([]);
  await handle.pause('a release');
  await handle.unpause();
  await ledger().query(
    `update escapement.firings set state = 'closed', outcome = 'failed', owner = null, check_at = null, closed_at = now()`,
  );
  const [letter] = await ledger().query<{ letter_id: string }>(
    `insert into escapement.dead_letters (letter_id, schedule_id, scheduled_time, epoch, kind, reason, namespace, created_at, updated_at)
     values (gen_random_uuid(), $1, '2026-03-01T01:00:00Z', 0, 'workflow', 'failed', 'default', now(), now()) returning letter_id`,
    [scheduleId],
  );
  await writer.deadLetters.discard(letter!.letter_id, { note: 'known' });
  await writer.deadLetters.restore(letter!.letter_id);

  expect(await watcher.getHandle(scheduleId).explain('2026-03-01T01:00:00Z')).toMatchObject({ answer: 'firing' });
  for (const args of [['schedule', 'list'], ['stats'], ['dead-letter', 'list'], ['trigger', 'list']]) {
    expect(await runCommand(args, { DATABASE_URL: as(reader) })).toMatchObject({ code: 0 });
  }
  const denied = /permission denied for table/;
  await expect(watcher.getHandle(scheduleId).pause()).rejects.toThrow(denied);
  await expect(other.create(someSchedule())).rejects.toThrow(denied);
  await expect(ledger().trigger({ connectionString: as(client) })).rejects.toThrow(/lacks rights that a trigger needs/);
});

it('of the functions with their owner’s rights, a role may call only those that its programs need', async () => {
  const callableBy = async (role: string) => {
    const rows = await ledger().query<{ name: string }>(
      `select proname as name from pg_proc where pronamespace = 'escapement'::regnamespace and prosecdef
         and has_function_privilege($1::name, oid, 'execute') order by proname`,
      [role],
    );
    return rows.map(({ name }) => name);
  };
  expect(await callableBy('public')).toEqual(['incarnation']);
  expect(await callableBy(await granted('reader'))).toEqual(['incarnation']);
  expect(await callableBy(await granted('worker'))).toEqual(['guard_lease', 'incarnation']);
  expect(await callableBy(await granted('client'))).toEqual(['ensure_partition', 'incarnation']);
  expect(await callableBy(await granted('trigger'))).toEqual([
    'begin_counts',
    'count_firings',
    'ensure_partition',
    'incarnation',
    'retire_partition',
  ]);
});

async function doctorAs(role: string): Promise<{ id: string; text: string }[]> {
  const environment = { DATABASE_URL: as(role), TEMPORAL_ADDRESS: inject('temporalAddress') };
  const { stdout } = await runCommand(['doctor', '--json'], environment);
  return stdout.split('\n').map((line) => JSON.parse(line));
}

it.each(['trigger', 'client', 'reader'])(
  'doctor finds nothing wrong with the rights of a role for a %s, and says whether a trigger may have it',
  async (use) => {
    const lines = await doctorAs(await granted(use));
    // Of a ledger without schedules, doctor says nothing but the load.
    expect(lines.map(({ id }) => id)).toEqual(['standing']);
    expect(/lacks a trigger's rights/.test(lines[0]!.text)).toBe(use !== 'trigger');
  },
);

it('doctor names what the role of a trigger lacks, be it the right to write a first heartbeat', async () => {
  const role = await granted('trigger');
  await ledger().query(`revoke insert on escapement.triggers from ${role}`);
  await expect(ledger().trigger({ connectionString: as(role) })).rejects.toThrow(/insert on escapement\.triggers/);
  const text = expect.stringContaining('lacks insert on escapement.triggers: a trigger with this role does not fire');
  expect(await doctorAs(role)).toMatchObject([{ id: 'rights_missing', text }, { id: 'standing' }]);
});

it('doctor names a role that may not read the ledger', async () => {
  const action = expect.stringContaining('escapement db grants --role NAME --for USE');
  expect(await doctorAs(await newRole('nothing'))).toMatchObject([{ id: 'ledger_unreadable', action }]);
});

it('doctor that cannot read a locked ledger says so, and blames no version', async () => {
  const role = await granted('trigger');
  const blocker = new Client({ connectionString: ledger().databaseUrl });
  await blocker.connect();
  ledger().beforeClose(() => blocker.end());
  await blocker.query('begin; lock table escapement.schedules');
  const text = expect.stringContaining('could not read the ledger');
  expect(await doctorAs(role)).toMatchObject([{ id: 'ledger_unreadable', text }]);
});

it('a trigger that may not read calendars, which only doctor does, lacks nothing', async () => {
  const role = await granted('trigger');
  await ledger().query(`revoke select on escapement.calendars from ${role}`);
  await ledger().trigger({ connectionString: as(role) });
  expect(ledger().log.lines.filter(({ message }) => /rights/.test(message))).toEqual([]);
  expect((await doctorAs(role)).map(({ id }) => id)).not.toContain('rights_missing');
});

it('a trigger that may read neither alerts nor leases reports the rest of the ledger', async () => {
  const role = await granted('trigger');
  await ledger().query(`revoke all on escapement.alerts, escapement.leases from ${role}`);
  const { passes, metrics } = await ledger().trigger({ connectionString: as(role) });
  await passes.report();
  expect(ledger().log.lines.at(-1)).toMatchObject({ message: 'in the last minute', meta: { waiting: 0 } });
  const scraped = await metrics.metrics();
  expect(scraped).toContain('\nescapement_ledger_up 1\n');
  expect(scraped).toContain('\nescapement_schedules_due 0\n');
  expect(scraped).not.toMatch(/^escapement_(alerts_open|leases_held)\b/m);
});

it('a role that is not there and a use that is not there are refused, and nothing is granted', async () => {
  const env = { DATABASE_URL: ledger().databaseUrl };
  const unknown = await runCommand(['db', 'grants', '--role', 'no"body', '--apply'], env);
  expect(unknown).toMatchObject({
    code: 1,
    stderr: `escapement: role: there is no role 'no"body'; create it first: create role "no""body" login`,
  });
  expect(await runCommand(['db', 'grants', '--role', 'somebody', '--for', 'boss'], env)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('use one of trigger, worker, client, reader.'),
  });
});

it('many who grant at once all succeed, as services do that start together', async () => {
  const roles = await Promise.all(Array.from({ length: 8 }, () => newRole('together')));
  const postgres = { connectionString: ledger().databaseUrl };
  const granted = await Promise.allSettled(roles.map((role) => grant(postgres, role)));
  expect(granted.map(({ status }) => status)).toEqual(roles.map(() => 'fulfilled'));
});

it.each(['trigger', 'reader'])(
  'a %s that tries to grant its rights to others is refused, and grants nothing',
  async (use) => {
    const [caller, other] = [await granted(use), await newRole('other')];
    const env = { DATABASE_URL: as(caller) };
    const { code, stderr } = await runCommand(['db', 'grants', '--role', other, '--for', use, '--apply'], env);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        `role: ${caller} may not grant '${other}' usage on schema escapement; .*select on escapement.ledger; .*; connect as the owner of the schema`,
      ),
    });
    expect(await ledger().query(`select has_schema_privilege($1, 'escapement', 'usage') as may`, [other])).toEqual([
      { may: false },
    ]);
  },
);
