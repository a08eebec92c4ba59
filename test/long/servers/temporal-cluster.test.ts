import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { Client as Postgres } from 'pg';
import { expect, test, vi } from 'vitest';
import { NoWayFoundError, providePostgres, provideTemporalCluster } from '../../../provision';
import { writeClusterConfig } from '../../../provision/temporal-cluster-config';

test('a server on Postgres takes workflows at once in each namespace, and leaves no database behind', async () => {
  const postgres = await providePostgres({ durable: true });
  const sql = new Postgres({ connectionString: postgres.databaseUrl });
  await sql.connect();
  const databases = async () => (await sql.query('select datname from pg_database order by 1')).rows;
  try {
    const before = await databases();
    const namespaces = ['one', 'other'];
    const server = await provideTemporalCluster({ databaseUrl: postgres.databaseUrl, namespaces });
    try {
      expect(await databases()).toHaveLength(before.length + 2);
      const connection = await Connection.connect({ address: server.address });
      for (const namespace of namespaces) {
        const client = new Client({ connection, namespace });
        await client.workflow.start('nothing', { workflowId: 'first', taskQueue: 'nobody' });
        await expect.poll(async () => (await client.workflow.count()).count).toBe(1);
      }
      await connection.close();
    } finally {
      await server.stop();
      await server.stop();
    }
    expect(await databases()).toEqual(before);
    await expect(Connection.connect({ address: server.address, connectTimeout: 1_000 })).rejects.toThrow();
  } finally {
    await sql.end();
    await postgres.stop();
  }
});

test('a temporary Postgres that is measured waits for the disk, and any other does not', async () => {
  for (const [durable, fsync] of [
    [true, 'on'],
    [false, 'off'],
  ] as const) {
    const postgres = await providePostgres({ durable });
    const sql = new Postgres({ connectionString: postgres.databaseUrl });
    await sql.connect();
    expect((await sql.query('show fsync')).rows).toEqual([{ fsync }]);
    expect((await sql.query('show synchronous_commit')).rows).toEqual([{ synchronous_commit: fsync }]);
    await sql.end();
    await postgres.stop();
  }
});

test('every service of the server listens on the loopback interface, on ports that its tables can hold', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'escapement-cluster-test-'));
  try {
    const databases = { databaseUrl: 'postgres://us%40er:p%3Aw@db.example:6000/x', store: 's', visibility: 'v' };
    const limit = [{ namespace: 'one', value: 7 }];
    const { address, args } = await writeClusterConfig(folder, databases, {
      dynamicConfig: { 'some.limit': limit, 'other.limit': 9 },
      historyShards: 4,
    });
    expect(args).toContain(folder);
    const { services, persistence } = JSON.parse(await readFile(join(folder, 'config', 'one.yaml'), 'utf8'));
    for (const service of ['frontend', 'history', 'matching', 'worker']) {
      const { rpc } = services[service];
      expect(rpc.bindOnIP).toBe('127.0.0.1');
      expect(rpc.membershipPort).toBeLessThan(2 ** 15);
    }
    expect(address).toBe(`127.0.0.1:${services.frontend.rpc.grpcPort}`);
    expect(persistence.datastores.store.sql).toMatchObject({
      ...{ connectAddr: 'db.example:6000', user: 'us@er', password: 'p:w', databaseName: 's' },
    });
    expect(JSON.parse(await readFile(join(folder, 'dynamic.yaml'), 'utf8'))).toEqual({
      'some.limit': [{ value: 7, constraints: { namespace: 'one' } }],
      'other.limit': [{ value: 9 }],
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('where it cannot be built, the error says what to install, and no database was made', async () => {
  const empty = await mkdtemp(join(tmpdir(), 'escapement-no-way-test-'));
  vi.stubEnv('PATH', empty);
  vi.stubEnv('XDG_CACHE_HOME', empty);
  try {
    // Nothing listens at this address. It is not asked before a server is started there.
    const error = await provideTemporalCluster({ databaseUrl: 'postgres://127.0.0.1:1/x' }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(NoWayFoundError);
    expect(error.message).toContain('install Go');
  } finally {
    vi.unstubAllEnvs();
    await rm(empty, { recursive: true, force: true });
  }
});
