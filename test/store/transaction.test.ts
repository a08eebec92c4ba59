import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openStore } from '../../store/connection';
import { run, transact } from '../../store/transaction';
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
