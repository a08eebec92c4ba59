import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openStore } from '../../store/connection';
import { run, transact } from '../../store/transaction';
import { poolOf } from '../support/connections/pool';
import { useLedger } from '../support/ledger';

const ledger = useLedger();

it('a statement of a transaction that fails for the moment repeats the transaction, and not only itself', async () => {
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  await ledger().query(`create sequence attempts`);
  // A sequence keeps its value when the transaction is rolled back.
  await ledger().query(`create function fails_once() returns bigint language plpgsql as $$ begin
    if nextval('attempts') = 1 then raise exception 'deadlock' using errcode = '40P01'; end if;
    return currval('attempts'); end $$`);
  const { rows } = await transact(store, (transaction) =>
    run<{ attempt: number }>(transaction, sql`select fails_once() as attempt`),
  );
  expect(rows).toEqual([{ attempt: 2 }]);
});

it('a transaction sees what others have committed, and a statement alone too, whatever isolation level the role has', async () => {
  const url = new URL(ledger().databaseUrl);
  url.searchParams.set('options', '-c default_transaction_isolation=serializable');
  const pool = poolOf({ connectionString: url.href, statement_timeout: 10_000 });
  const own = openStore({ connectionString: url.href });
  const ofTheCaller = openStore({ pool });
  ledger().beforeClose(async () => {
    await own.close();
    await pool.end();
  });
  const level = sql`show transaction_isolation`;
  for (const store of [own, ofTheCaller]) {
    const { rows } = await transact(store, ({ db }) => level.execute(db));
    expect(rows).toEqual([{ transaction_isolation: 'read committed' }]);
    expect((await level.execute(store.db)).rows).toEqual(rows);
  }
});
