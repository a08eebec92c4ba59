import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../store/connection';
import { useLedger } from '../../support/ledger';

const ledger = useLedger();

// As long as a statement may take.
describe('a store', () => {
  it('is told by Postgres itself that a statement took too long, and works on', async () => {
    const store = openStore({ connectionString: ledger().databaseUrl, queryTimeoutMilliseconds: 12_000 });
    await ledger().query('select pg_advisory_lock(7)');
    await expect(sql`set lock_timeout = 0; select pg_advisory_lock(7)`.execute(store.db)).rejects.toMatchObject({
      name: 'StatementTimeoutError',
    });
    expect((await sql`select 1 as one`.execute(store.db)).rows).toEqual([{ one: 1 }]);
    await store.close();
  });
});
