import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DataDirectoryInUseError, type PostgresOptions, providePostgres } from '../../provision';
import { memoryFolder } from '../../provision/memory-folder';

let folder: string;
beforeEach(async () => {
  // Mode 0700, like a home folder or a clone that others may not enter.
  folder = await mkdtemp(join(tmpdir(), 'escapement-postgres-test-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function query(databaseUrl: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test('a given database is used as it is', async () => {
  const given = await providePostgres({ databaseUrl: 'postgres://somewhere/else' });
  expect(given).toMatchObject({ databaseUrl: 'postgres://somewhere/else', source: 'DATABASE_URL' });
  await given.stop();
});

test('two start side by side, each a database of its own', async () => {
  const [one, other] = await Promise.all([providePostgres({}), providePostgres({})]);
  try {
    expect(new URL(one.databaseUrl).port).not.toBe(new URL(other.databaseUrl).port);
    await query(one.databaseUrl, 'CREATE TABLE mine ()');
    expect(await query(other.databaseUrl, `SELECT to_regclass('mine') AS found`)).toEqual([{ found: null }]);
    const [settings] = await query(one.databaseUrl, `SELECT current_setting('listen_addresses') AS listens`);
    expect(settings).toEqual({ listens: '127.0.0.1' });
  } finally {
    await Promise.all([one.stop(), other.stop()]);
  }
  await expect(query(one.databaseUrl, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
});

test('temporary data is gone after stop, and stopping twice is fine', async () => {
  const postgres = await providePostgres({});
  const [found] = await query(postgres.databaseUrl, `SELECT current_setting('data_directory') AS directory`);
  await postgres.stop();
  await postgres.stop();
  await expect(access(String(found?.directory))).rejects.toThrow('ENOENT');
});

test('temporary data lies in memory where there is room, and on the disk where it shall be durable', async () => {
  // Other tests fill the memory, or leave it, meanwhile.
  const before = await memoryFolder();
  const [fast, durable] = await Promise.all([providePostgres({}), providePostgres({ durable: true })]);
  const rooms = [before, await memoryFolder()];
  try {
    const [memory, disk] = await Promise.all([fast, durable].map(fileSystemOf));
    const types = await Promise.all(rooms.map(async (room) => (await statfs(room ?? tmpdir())).type));
    expect(types).toContain(memory);
    expect(disk).toBe((await statfs(tmpdir())).type);
  } finally {
    await Promise.all([fast.stop(), durable.stop()]);
  }
});

async function fileSystemOf({ databaseUrl }: { databaseUrl: string }): Promise<number> {
  const [found] = await query(databaseUrl, `SELECT current_setting('data_directory') AS directory`);
  return (await statfs(dirname(String(found?.directory)))).type;
}

test('a password is needed', async () => {
  const postgres = await providePostgres({});
  try {
    const guessed = new URL(postgres.databaseUrl);
    guessed.password = 'postgres';
    await expect(query(guessed.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
  } finally {
    await postgres.stop();
  }
});

test('a data directory keeps its data, even one that Postgres’s own user may not enter', async () => {
  const first = await providePostgres({ dataDirectory: folder });
  let linkedTo: string;
  try {
    await query(first.databaseUrl, 'CREATE TABLE kept AS SELECT 42 AS answer');
    linkedTo = String((await query(first.databaseUrl, `SELECT current_setting('data_directory') AS d`))[0]?.d);
    await expect(providePostgres({ dataDirectory: folder })).rejects.toThrow(DataDirectoryInUseError);
    expect(await query(first.databaseUrl, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
  } finally {
    await first.stop();
  }
  const second = await providePostgres({ dataDirectory: folder });
  try {
    expect(await query(second.databaseUrl, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  } finally {
    await second.stop();
    await rm(join(linkedTo, '..'), { recursive: true, force: true });
  }
});

test('a data directory survives the kill of its owner and can be used again at once', async () => {
  const owner = startOwner({ dataDirectory: folder });
  const [databaseUrl] = (await once(owner.stdout, 'data')).map(String);
  await query(databaseUrl!, 'CREATE TABLE kept AS SELECT 42 AS answer');
  const directory = String((await query(databaseUrl!, `SELECT current_setting('data_directory') AS d`))[0]?.d);
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  const next = await providePostgres({ dataDirectory: folder });
  try {
    expect(await query(next.databaseUrl, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  } finally {
    await next.stop();
    await rm(join(directory, '..'), { recursive: true, force: true });
  }
});

test('the server and its temporary folder go when the process that started it is killed', async () => {
  const owner = startOwner({});
  const [databaseUrl] = (await once(owner.stdout, 'data')).map(String);
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const directory = (await client.query(`SELECT current_setting('data_directory') AS d`)).rows[0].d;
  const disconnected = new Promise((resolve) => client.on('error', resolve));
  owner.kill('SIGKILL');
  await disconnected;
  const temporary = join(directory, '..');
  await expect.poll(() => readdir(temporary).catch(() => 'gone'), { timeout: 60_000 }).toBe('gone');
});

/** Another process that provides a Postgres, prints its address and stays. */
function startOwner(options: PostgresOptions): ChildProcessByStdio<null, Readable, null> {
  const script = `
    import provision from ${JSON.stringify(join(__dirname, '../../provision/index.ts'))};
    const { databaseUrl } = await provision.providePostgres(${JSON.stringify(options)});
    process.stdout.write(databaseUrl);
    setInterval(() => {}, 1000);`;
  return spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: folder },
  });
}
