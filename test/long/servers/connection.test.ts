import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../store/connection';
import { proxyOf } from '../../support/connections/proxy';
import { useLedger } from '../../support/ledger';

const ledger = useLedger();

// As long as a statement may take.
describe('a store', () => {
  it('gives up a statement whose answer was lost on the way, and waits for one that is slow', async () => {
    const url = new URL(ledger().databaseUrl);
    const proxy = await proxyOf(`${url.hostname}:${url.port}`);
    url.host = proxy.address;
    // Nothing else bounds a statement.
    const options = { connectionsAtMost: 1, queryTimeoutMilliseconds: 0 };
    const forgotten = openStore({ ...options, connectionString: url.href });
    const direct = openStore({ ...options, connectionString: ledger().databaseUrl });
    await ledger().query('select pg_advisory_lock(7)');
    const [lost, slow] = [forgotten, direct].map(({ db }) =>
      db.connection().execute(async (connection) => {
        await sql`set lock_timeout = 0`.execute(connection);
        return sql`select pg_advisory_lock_shared(7)`.execute(connection);
      }),
    );
    const waiting = () =>
      ledger().query<{ old: boolean }>(`select now() - query_start > interval '4 seconds' as old
        from pg_stat_activity where wait_event = 'advisory' and datname = current_database()`);
    // By then it was asked after more than once.
    await expect.poll(waiting).toEqual([{ old: true }, { old: true }]);
    proxy.silence();
    await ledger().query('select pg_advisory_unlock(7)');
    expect((await slow!).rows).toHaveLength(1);
    await expect(lost).rejects.toMatchObject({ name: 'PostgresUnreachableError' });
    expect((await sql`select 1 as one`.execute(forgotten.db)).rows).toEqual([{ one: 1 }]);
    await forgotten.close();
    await direct.close();
  });

  it('is told by Postgres itself that a statement took too long, and works on', async () => {
    const store = openStore({ connectionString: ledger().databaseUrl, queryTimeoutMilliseconds: 12_000 });
    await ledger().query('select pg_advisory_lock(7)');
    await expect(sql`set lock_timeout = 0; select pg_advisory_lock(7)`.execute(store.db)).rejects.toMatchObject({
      code: '57014',
    });
    expect((await sql`select 1 as one`.execute(store.db)).rows).toEqual([{ one: 1 }]);
    await store.close();
  });
});
