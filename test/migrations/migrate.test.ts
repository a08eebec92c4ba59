import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { PoolLike } from '../../index';
import { migrate, migrations, SCHEMA_VERSION } from '../../migrations';
import { migrateBy } from '../../migrations/migrate';
import { step } from '../../migrations/migration';
import { openStore } from '../../store/connection';
import { ensurePartitions } from '../../store/firings/partitions';
import { poolOf } from '../support/connections/pool';
import { useLedger } from '../support/ledger';

const ledger = useLedger();

function migrateInto(schema: string): Promise<string[]> {
  return migrate({ connectionString: ledger().databaseUrl, schema });
}

describe('migrations', () => {
  it('apply once, into a schema of any name, though several deploys run them at the same time', async () => {
    const runs = await Promise.all([migrateInto('cron'), migrateInto('cron'), migrateInto('cron')]);
    expect(runs.flat()).toEqual(Object.keys(migrations('cron')));
    expect(await migrateInto('cron')).toEqual([]);
  });

  it('leave a schema alone that a newer program migrated, and say so', async () => {
    await ledger().query(`insert into escapement.migrations values ('9999-from-the-future', now()::text)`);
    expect(await migrateInto('escapement')).toEqual([]);
    await ledger().query(
      `update escapement.meta set value = '{"version": 9999, "oldestProgram": 9999}' where key = 'schema'`,
    );
    await expect(migrateInto('escapement')).rejects.toMatchObject({
      name: 'SchemaTooNewError',
      message: expect.stringMatching(/9999-from-the-future.*upgrade the escapement package/),
    });
  });

  it('take as long as they need, though sessions of this role are bounded', async () => {
    const database = new URL(ledger().databaseUrl).pathname.slice(1);
    await ledger().query(`alter database ${database} set statement_timeout to '100ms'`);
    // Takes longer than that on any machine.
    const slow = { oldestProgram: 1, steps: [step(sql`select count(*) from generate_series(1, 5000000)`)] };
    const applied = await migrateBy((schema) => ({ ...migrations(schema), '9999-slow': slow }), {
      connectionString: ledger().databaseUrl,
    });
    expect(applied).toEqual(['9999-slow']);
  });

  it('have no limit for statements, although the option is given as undefined', async () => {
    const pool = poolOf({ connectionString: ledger().databaseUrl, max: 2 });
    ledger().beforeClose(() => pool.end());
    const limits = new Set<unknown>();
    const watched: PoolLike = {
      connect: async () => {
        const client = await pool.connect();
        return {
          query: (config) => {
            limits.add((config as { query_timeout?: number }).query_timeout);
            return client.query(config);
          },
          release: (error) => client.release(error),
        };
      },
    };
    await migrate({ pool: watched, schema: 'unlimited', queryTimeoutMilliseconds: undefined as never });
    expect(limits).toEqual(new Set([0]));
  });

  it('leave a connection of a pool as they found it', async () => {
    const pool = poolOf({ connectionString: ledger().databaseUrl, max: 1, options: '-c lock_timeout=7s' });
    ledger().beforeClose(() => pool.end());
    await migrate({ pool, schema: 'pooled' });
    const { rows } = await pool.query('show lock_timeout');
    expect(rows).toEqual([{ lock_timeout: '7s' }]);
  });

  it('give each installation an identity of its own', async () => {
    await migrateInto('one');
    await migrateInto('other');
    const ids = await ledger().query(`select value from one.meta where key = 'installation'
      union select value from other.meta where key = 'installation'`);
    expect(ids).toHaveLength(2);
  });
});

it('the schema’s version is what the last migration writes', async () => {
  const [row] = await ledger().query(
    `select (value ->> 'version')::int as version from escapement.meta where key = 'schema'`,
  );
  expect(row).toEqual({ version: SCHEMA_VERSION });
});

describe('ensure_partition', () => {
  it('makes a month while a reader holds the table open, and once however many ask', async () => {
    const { databaseUrl, sql } = ledger();
    await sql.query('begin');
    await sql.query('select * from escapement.firings');
    const stores = [1, 2, 3].map(() => openStore({ connectionString: databaseUrl }));
    await Promise.all(stores.map((store) => ensurePartitions(store, [new Date('2031-02-28T23:59:59.999Z')])));
    await Promise.all(stores.map((store) => store.close()));
    await sql.query('commit');
    expect(
      await ledger().query(`select relname from pg_class where relname like 'firings_2031%' and relkind = 'r'`),
    ).toEqual([{ relname: 'firings_203102' }]);
  });

  it('makes a month while an index of another one is built', async () => {
    await ledger().query(`select escapement.ensure_partition('2031-03-01Z')`);
    // An index build and a vacuum take this lock.
    await ledger().sql.query('begin; lock table escapement.firings_203103 in share update exclusive mode');
    const store = openStore({ connectionString: ledger().databaseUrl });
    await ensurePartitions(store, [new Date('2031-04-01T00:00:00Z')]);
    await store.close();
    await ledger().sql.query('commit');
    expect(await ledger().query(`select to_regclass('escapement.firings_203104') is not null as made`)).toEqual([
      { made: true },
    ]);
  });

  it('refuses a month that was retired', async () => {
    await ledger().query(`insert into escapement.meta values ('retention_floor', '"2026-01-01T00:00:00Z"')`);
    await expect(ledger().query(`select escapement.ensure_partition('2025-12-31T23:59:59Z')`)).rejects.toMatchObject({
      code: 'ES001',
    });
  });
});
