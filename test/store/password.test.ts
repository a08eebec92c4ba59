import { writeFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { diagnose } from '../../doctor/diagnose';
import { EscapementClient, type PostgresOptions } from '../../index';
import { migrate } from '../../migrations';
import { open } from '../../server/serve';
import { openStore } from '../../store/connection';
import { temporaryFile } from '../support/folder';
import { someSchedule, uniqueName, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';

const ledger = useLedger('2026-03-01T00:30:00Z');

/** A role with a password that a test changes, and nothing in the connection string. */
async function roleWithPassword(first: string) {
  const role = uniqueName('rotating').replaceAll('-', '_');
  const superuser = new URL(ledger().databaseUrl).username;
  await ledger().query(`create role ${role} login password '${first}' in role ${superuser}`);
  ledger().beforeClose(async () => {
    await ledger().query(`drop owned by ${role}; drop role ${role}`);
  });
  const url = new URL(ledger().databaseUrl);
  url.username = role;
  url.password = '';
  const options = encodeURIComponent(`-c role=${superuser}`);
  return {
    connectionString: `${url.href}${url.search ? '&' : '?'}options=${options}`,
    /** As when a server is restarted: the password changes, and connections end. */
    rotate: async (next: string) => {
      await ledger().query(`alter role ${role} password '${next}'`);
      await ledger().query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [role]);
    },
  };
}

it('each new connection of a trigger asks for the password, and takes the one that is valid by then', async () => {
  const { connectionString, rotate } = await roleWithPassword('first');
  let current = 'first';
  let asked = 0;
  const password = async () => {
    asked += 1;
    return current;
  };
  const { scheduleId } = await ledger().client.create(someSchedule({ policies: { overlap: 'ALLOW_ALL' } }));
  const trigger = await ledger().trigger({ connectionString, password });
  const before = asked;
  expect(before).toBeGreaterThan(0);
  current = 'second';
  await rotate('second');
  ledger().clock.set('2026-03-01T01:00:00Z');
  // The first one meets the connection that was ended, as after a restart.
  const claimed = async () => {
    await trigger.passes.claim().catch((error) => expect(error).toMatchObject({ name: 'PostgresUnreachableError' }));
    return (await ledger().firings(scheduleId)).length;
  };
  await expect.poll(claimed).toBe(1);
  expect(asked).toBeGreaterThan(before);

  await rotate('third');
  ledger().clock.set('2026-03-01T02:00:00Z');
  const refused = () => trigger.passes.claim().then(String, (error) => error.message);
  await expect.poll(refused).toMatch(/Postgres refused the connection \(.*\); check DATABASE_URL, and the password/);
  current = 'third';
  await expect.poll(claimed).toBe(2);
});

it('whoever opens connections of its own takes a password, and the connection that asks after lost answers asks too', async () => {
  const { connectionString } = await roleWithPassword('secret');
  let asked = 0;
  const password = () => {
    asked += 1;
    return 'secret';
  };
  const postgres: PostgresOptions = { connectionString, password };
  const client = new EscapementClient(postgres);
  await client.create(someSchedule({ scheduleId: 'nightly' }));
  await client.close();
  expect(await migrate({ ...postgres, schema: 'elsewhere' })).not.toEqual([]);
  const server = open(postgres);
  const answer = await server.app.inject({ url: '/v1/schedules/nightly' });
  expect(answer.statusCode).toBe(200);
  await server.close();
  const temporal = { connection: { address: '127.0.0.1:1' }, namespaces: {}, namespace: 'default' };
  expect((await diagnose({ postgres, temporal })).map(({ id }) => id)).not.toContain('ledger_unavailable');

  const store = openStore({ ...postgres, connectionsAtMost: 1, queryTimeoutMilliseconds: 0 });
  await ledger().query('select pg_advisory_lock(7)');
  asked = 0;
  const waiting = sql`set lock_timeout = 0; select pg_advisory_lock_shared(7)`.execute(store.db);
  // One for the pool's only connection, and one for each time that the server was asked whether it still works.
  await expect.poll(() => asked).toBeGreaterThan(2);
  await ledger().query('select pg_advisory_unlock(7)');
  await waiting;
  await store.close();
  const plain = openStore({ connectionString, password: 'secret' });
  expect((await sql`select 1 as one`.execute(plain.db)).rows).toEqual([{ one: 1 }]);
  await plain.close();
});

it('what gives no password is named, and tried again with the next connection; what cannot be one is refused', async () => {
  const { connectionString } = await roleWithPassword('secret');
  const answers: (() => string | Promise<string>)[] = [
    () => Promise.reject(new Error('the token has expired')),
    () => '',
    () => 'secret',
  ];
  const client = new EscapementClient({ connectionString, password: () => answers.shift()!() });
  const away = (reason: string) => ({
    name: 'PostgresUnreachableError',
    message: `there is no password for Postgres: ${reason}`,
  });
  await expect(client.stats()).rejects.toMatchObject(away('the token has expired'));
  await expect(client.stats()).rejects.toMatchObject(away('it is empty'));
  expect(await client.stats()).toBeDefined();
  await client.close();
  const pool = { connect: async () => Promise.reject(new Error('never')) };
  expect(() => new EscapementClient({ pool, password: 'secret' })).toThrow(
    'password: belongs to connectionString; give it to your pool',
  );
  expect(() => new EscapementClient({ connectionString, password: 7 as never })).toThrow(
    'password: is empty, or neither a text nor a function that returns one',
  );
});

it('a command that prints the password is run for each connection of a command, and named where it fails', async () => {
  const { connectionString: DATABASE_URL } = await roleWithPassword('one two');
  const file = await temporaryFile('password', 'one two\n');
  await ledger().client.create(someSchedule({ scheduleId: 'nightly' }));
  const env = { DATABASE_URL, ESCAPEMENT_DATABASE_PASSWORD_COMMAND: `cat '${file}'` };
  expect(await runCommand(['schedule', 'list'], env)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('nightly'),
  });
  const flag = ['--database-password-command', 'echo no credentials >&2; exit 3'];
  expect(await runCommand(['schedule', 'list', ...flag], env)).toMatchObject({
    code: 1,
    stderr: `escapement: there is no password for Postgres: '${flag[1]}' failed (no credentials)`,
  });
  await writeFile(file, '');
  expect(await runCommand(['schedule', 'list'], env)).toMatchObject({
    code: 1,
    stderr: `escapement: there is no password for Postgres: 'cat '${file}'' printed no password`,
  });
});
