import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { openStore } from '../../store/connection';
import { transact } from '../../store/transaction';
import { useLedger } from '../support/ledger';
import { proxyOf } from '../support/proxy';

const ledger = useLedger();

/** What Postgres still sees of the store's connections to this database. */
function connectionsOfStore() {
  return ledger().query(
    `select pid from pg_stat_activity where application_name = 'escapement' and datname = current_database()`,
  );
}

describe('a store', () => {
  it('survives a connection that dies between two statements of a transaction', async () => {
    const url = new URL(ledger().databaseUrl);
    const proxy = await proxyOf(`${url.hostname}:${url.port}`);
    url.host = proxy.address;
    const store = openStore({ connectionString: url.href });
    const lost = transact(store, async (transaction) => {
      proxy.cut();
      await vi.waitFor(async () => expect(await connectionsOfStore()).toEqual([]), 20_000);
      await sql`select 1`.execute(transaction.db);
    });
    await expect(lost).rejects.toMatchObject({ name: 'PostgresUnreachableError' });
    proxy.restore();
    expect((await sql`select 1 as one`.execute(store.db)).rows).toEqual([{ one: 1 }]);
    await store.close();
  });

  it('runs a transaction again that lost to another one', async () => {
    const store = openStore({ connectionString: ledger().databaseUrl });
    let attempts = 0;
    const result = await transact(store, async (transaction) => {
      attempts += 1;
      if (attempts === 1)
        await sql`do $$ begin raise exception 'as if' using errcode = '40P01'; end $$`.execute(transaction.db);
      return attempts;
    });
    expect(result).toBe(2);
    await store.close();
  });

  it('bounds a transaction, for a process that freezes in it, and nothing else', async () => {
    const store = openStore({ connectionString: ledger().databaseUrl, connectionsAtMost: 1 });
    const bounds = sql<{ bounds: string[] }>`select array[current_setting('lock_timeout'),
      current_setting('idle_in_transaction_session_timeout'), current_setting('statement_timeout')] as bounds`;
    const inside = await transact(store, ({ db }) => bounds.execute(db));
    expect(inside.rows).toEqual([{ bounds: ['2s', '5s', '10s'] }]);
    expect((await bounds.execute(store.db)).rows).toEqual([{ bounds: ['0', '0', '0'] }]);
    await store.close();
  });

  it('does not compile the statements of a transaction, which look dearer than they are', async () => {
    const store = openStore({
      connectionString: `${ledger().databaseUrl}?options=-c%20jit%3Don`,
      connectionsAtMost: 1,
    });
    const compiles = sql<{ jit: string }>`select current_setting('jit') as jit`;
    expect((await transact(store, ({ db }) => compiles.execute(db))).rows).toEqual([{ jit: 'off' }]);
    expect((await compiles.execute(store.db)).rows).toEqual([{ jit: 'on' }]);
    await store.close();
  });

  it.each([
    [true, 1],
    [undefined, 0],
  ])('with preparedStatements %s keeps %i plan of a statement that it runs twice', async (preparedStatements, kept) => {
    const options = { connectionString: ledger().databaseUrl, connectionsAtMost: 1, preparedStatements };
    const store = openStore(options);
    for (const value of [1, 2]) {
      const { rows } = await sql`select ${value}::int as value`.execute(store.db);
      expect(rows).toEqual([{ value }]);
    }
    const { rows } = await sql`select name from pg_prepared_statements where name <> ''`.execute(store.db);
    expect(rows).toHaveLength(kept);
    await store.close();
  });

  it.each(['Bad', 'a;drop', '', 'x'.repeat(60)])('refuses the schema name %j', (schema) => {
    expect(() => openStore({ connectionString: 'postgres://x', schema })).toThrow(TypeError);
  });
});
