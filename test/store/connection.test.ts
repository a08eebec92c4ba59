import { sql } from 'kysely';
import { Pool, type PoolConfig } from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { openStore, type Store } from '../../store/connection';
import { ensurePartitions } from '../../store/firings/partitions';
import { transact } from '../../store/transaction';
import { proxyOf } from '../support/connections/proxy';
import { useLedger } from '../support/ledger';

const ledger = useLedger();

/** What Postgres still sees of the store's connections to this database. */
function connectionsOfStore() {
  return ledger().query(
    `select pid from pg_stat_activity where application_name = 'escapement' and datname = current_database()`,
  );
}

const bounds = sql<{ bounds: string[] }>`select array[current_setting('lock_timeout'),
  current_setting('idle_in_transaction_session_timeout'), current_setting('statement_timeout'),
  current_setting('jit')] as bounds`;

/** A pool that the program also uses for itself. */
function callersPool(options: PoolConfig = {}): Pool {
  const pool = new Pool({ connectionString: ledger().databaseUrl, max: 1, ...options });
  // Its last connection may end a moment after it, and get an error when the database is dropped.
  ledger().beforeClose(() => pool.on('error', () => {}).end());
  return pool;
}

describe('a store', () => {
  it('listens once to a pool that it shares with other stores, until the last is closed', async () => {
    const pool = callersPool();
    const stores = Array.from({ length: 12 }, () => openStore({ pool }));
    expect(pool.listenerCount('error')).toBe(1);
    for (const store of stores.slice(1)) await store.close();
    await stores[1]!.close();
    expect(pool.listenerCount('error')).toBe(1);
    await stores[0]!.close();
    expect(pool.listenerCount('error')).toBe(0);
  });

  it('survives a connection that dies between two statements of a transaction', async () => {
    const url = new URL(ledger().databaseUrl);
    const proxy = await proxyOf(`${url.hostname}:${url.port}`);
    url.host = proxy.address;
    const store = openStore({ connectionString: url.href });
    const lost = transact(store, async (transaction) => {
      proxy.cut();
      await vi.waitFor(async () => expect(await connectionsOfStore()).toEqual([]), 60_000);
      await sql`select 1`.execute(transaction.db);
    });
    await expect(lost).rejects.toMatchObject({ name: 'PostgresUnreachableError' });
    proxy.restore();
    expect((await sql`select 1 as one`.execute(store.db)).rows).toEqual([{ one: 1 }]);
    await store.close();
  });

  it('runs a transaction again that lost to another one', async () => {
    const store = openStore({ connectionString: ledger().databaseUrl });
    let bothHold = () => {};
    const bothHeld = new Promise<void>((resolve) => {
      bothHold = resolve;
    });
    let attempts = 0;
    let holders = 0;
    const lockBoth = (first: number, second: number) =>
      transact(store, async (transaction) => {
        attempts += 1;
        await sql`select pg_advisory_xact_lock(${first}::bigint)`.execute(transaction.db);
        holders += 1;
        if (holders === 2) bothHold();
        await bothHeld;
        await sql`select pg_advisory_xact_lock(${second}::bigint)`.execute(transaction.db);
        return first;
      });
    expect(await Promise.all([lockBoth(1, 2), lockBoth(2, 1)])).toEqual([1, 2]);
    expect(attempts).toBe(3);
    await store.close();
  });

  it('runs a transaction again whose row found no month, since a month is there a moment before each connection knows it', async () => {
    const store = openStore({ connectionString: ledger().databaseUrl });
    let attempts = 0;
    await transact(store, async (transaction) => {
      attempts += 1;
      // As if another transaction had made it just then.
      if (attempts === 2) await ensurePartitions(transaction, [new Date('2031-05-01T00:00:00Z')]);
      await sql`insert into ${transaction.table('firings')} (schedule_id, scheduled_time, state, kind, namespace, schedule_version, claimed_at)
        values ('s', '2031-05-01T00:00Z', 'buffered', 'schedule', 'default', 1, now())`.execute(transaction.db);
    });
    expect(attempts).toBe(2);
    await store.close();
  });

  it.each([
    ['of its own pool', () => openStore({ connectionString: ledger().databaseUrl, connectionsAtMost: 1 })],
    ["of a caller's pool", () => openStore({ pool: callersPool() })],
    [
      "of a caller's pool with bounds of its own",
      () => openStore({ pool: callersPool({ statement_timeout: 10_000 }) }),
    ],
  ])('bounds each statement in the server, in and outside of transactions, on a connection %s', async (_, open) => {
    const store = open();
    const inside = await transact(store, ({ db }) => bounds.execute(db));
    expect(inside.rows).toEqual([{ bounds: ['2s', '5s', '10s', 'off'] }]);
    const alone = (await bounds.execute(store.db)).rows[0]!.bounds;
    expect(alone[2]).toBe('10s');
    await store.close();
  });

  it('gives up a statement whose answer was lost on the way, and waits for slow ones, also where Postgres tracks none', async () => {
    const url = new URL(ledger().databaseUrl);
    const proxy = await proxyOf(`${url.hostname}:${url.port}`);
    url.host = proxy.address;
    // Nothing else bounds a statement.
    const options = { connectionsAtMost: 1, queryTimeoutMilliseconds: 0 };
    const forgotten = openStore({ ...options, connectionString: url.href });
    const direct = openStore({ ...options, connectionString: ledger().databaseUrl });
    const untracked = openStore({ ...options, connectionString: ledger().databaseUrl });
    await ledger().query('select pg_advisory_lock(7)');
    const [lost, ...slow] = [forgotten, direct, untracked].map((store) =>
      store.db.connection().execute(async (connection) => {
        await sql`set lock_timeout = 0`.execute(connection);
        if (store === untracked) await sql`set track_activities = off`.execute(connection);
        return sql`select pg_advisory_lock_shared(7)`.execute(connection);
      }),
    );
    const waiting = () =>
      ledger().query<{ old: boolean }>(`select now() - query_start > interval '2 seconds' as old
        from pg_stat_activity where wait_event = 'advisory' and datname = current_database() and state <> 'disabled'`);
    // By then it was asked after more than once.
    await expect.poll(waiting).toEqual([{ old: true }, { old: true }]);
    proxy.silence();
    await ledger().query('select pg_advisory_unlock(7)');
    for (const { rows } of await Promise.all(slow)) expect(rows).toHaveLength(1);
    await expect(lost).rejects.toMatchObject({ name: 'PostgresUnreachableError' });
    expect((await sql`select 1 as one`.execute(forgotten.db)).rows).toEqual([{ one: 1 }]);
    await forgotten.close();
    await direct.close();
    await untracked.close();
  });

  it('says of an answer that was lost within a transaction that Postgres is unreachable, not that the rollback failed', async () => {
    const url = new URL(ledger().databaseUrl);
    const proxy = await proxyOf(`${url.hostname}:${url.port}`);
    url.host = proxy.address;
    const store = openStore({ connectionsAtMost: 1, queryTimeoutMilliseconds: 0, connectionString: url.href });
    const lost = transact(store, async ({ db }) => {
      await sql`select 1`.execute(db);
      proxy.silence();
      await sql`select 2`.execute(db);
    });
    await expect(lost).rejects.toMatchObject({ name: 'PostgresUnreachableError' });
    await store.close();
  });

  it("leaves the settings of a caller's connections as they were", async () => {
    const pool = callersPool();
    const store = openStore({ pool });
    await bounds.execute(store.db);
    await transact(store, ({ db }) => bounds.execute(db));
    await expect(sql`select 1 / 0`.execute(store.db)).rejects.toMatchObject({ code: '22012' });
    const { rows } = await pool.query(`select current_setting('lock_timeout') as lock,
      current_setting('statement_timeout') as statement, pg_current_xact_id_if_assigned() as xid`);
    expect(rows).toEqual([{ lock: '0', statement: '0', xid: null }]);
    await store.close();
  });

  it('closes a connection on which Postgres takes no writes, and those that were opened before it', async () => {
    const store = openStore({ connectionString: ledger().databaseUrl, connectionsAtMost: 3 });
    const pid = async () => (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(store.db)).rows[0]!.pid;
    const write = () => sql`update escapement.meta set value = value where key = 'schema'`.execute(store.db);
    const before = await store.db.connection().execute(async (first) => {
      const other = await pid();
      await sql`set session characteristics as transaction read only`.execute(first);
      return other;
    });
    // The pool hands out the last one that came back, for as long as it is open.
    await expect(write()).rejects.toMatchObject({
      name: 'PostgresUnreachableError',
      message: expect.stringContaining('takes no writes'),
    });
    await write();
    expect(await pid()).not.toBe(before);
    // Postgres lets go of a connection a moment after it was closed.
    await expect.poll(connectionsOfStore).toHaveLength(1);
    await store.close();
  });

  const plansOf = async (store: Store) =>
    (await sql`select name from pg_prepared_statements where name <> ''`.execute(store.db)).rows;

  it.each([
    [true, undefined, 1],
    [undefined, undefined, 0],
    [undefined, true, 1],
    [false, true, 0],
  ])(
    'with preparedStatements %s, and keepsPlans %s, keeps %i plan of a statement that it runs twice',
    async (preparedStatements, keepsPlans, kept) => {
      const options = { connectionString: ledger().databaseUrl, connectionsAtMost: 1, preparedStatements };
      const store = openStore(options, { keepsPlans });
      for (const value of [1, 2]) {
        const { rows } = await sql`select ${value}::int as value`.execute(store.db);
        expect(rows).toEqual([{ value }]);
      }
      expect(await plansOf(store)).toHaveLength(kept);
      await store.close();
    },
  );

  it("keeps no plan on a caller's connections unless it is told to", async () => {
    const pool = callersPool({ statement_timeout: 10_000 });
    const store = openStore({ pool }, { keepsPlans: true });
    expect((await sql`select ${1}::int as one`.execute(store.db)).rows).toEqual([{ one: 1 }]);
    expect(await plansOf(store)).toEqual([]);
    await store.close();
  });

  it('plans a statement anew where a migration has changed what it answers, in and outside of transactions', async () => {
    await ledger().query('create table planned (number int); insert into planned values (1)');
    const store = openStore({ connectionString: ledger().databaseUrl, connectionsAtMost: 1 }, { keepsPlans: true });
    const read = ({ db }: Store) => sql`select * from public.planned where number = ${1}::int`.execute(db);
    expect((await read(store)).rows).toEqual([{ number: 1 }]);
    await ledger().query('alter table planned add column text text');
    expect((await read(store)).rows).toEqual([{ number: 1, text: null }]);
    expect(await plansOf(store)).toEqual([]);
    await read(store);
    expect(await plansOf(store)).toHaveLength(1);
    await ledger().query('alter table planned add column more text');
    expect((await transact(store, read)).rows).toEqual([{ number: 1, text: null, more: null }]);
    await store.close();
  });

  it.each([
    ['bounds of its own', { statement_timeout: 10_000 }],
    ['no bounds', {}],
  ])("works on where the caller's pool, with %s, runs DISCARD ALL between two checkouts", async (_, options) => {
    const pool = callersPool(options);
    const store = openStore({ pool, preparedStatements: true });
    const read = ({ db }: Store) => sql`select ${1}::int as one, pg_backend_pid() as pid`.execute(db);
    const first = await read(store);
    await pool.query('discard all');
    expect((await read(store)).rows).toEqual(first.rows);
    expect((await transact(store, read)).rows).toEqual(first.rows);
    await store.close();
  });

  it('runs a transaction again whose plan is gone', async () => {
    const pool = callersPool({ statement_timeout: 10_000 });
    const store = openStore({ pool, preparedStatements: true });
    const read = ({ db }: Store) => sql`select ${1}::int as one`.execute(db);
    await transact(store, read);
    await pool.query('discard all');
    let attempts = 0;
    const { rows } = await transact(store, (transaction) => {
      attempts += 1;
      return read(transaction);
    });
    expect({ rows, attempts }).toEqual({ rows: [{ one: 1 }], attempts: 2 });
    await store.close();
  });

  it('keeps a bounded number of plans, those of the statements that it runs now', async () => {
    const store = openStore({ connectionString: ledger().databaseUrl, connectionsAtMost: 1 }, { keepsPlans: true });
    for (let number = 0; number < 510; number++) {
      const { rows } = await sql`select ${number}::int as ${sql.id(`n${number}`)}`.execute(store.db);
      expect(rows).toEqual([{ [`n${number}`]: number }]);
    }
    expect(await plansOf(store)).toHaveLength(10);
    await store.close();
  });

  it.each(['Bad', 'a;drop', '', 'x'.repeat(60)])('refuses the schema name %j', (schema) => {
    expect(() => openStore({ connectionString: 'postgres://x', schema })).toThrow(TypeError);
  });
});
