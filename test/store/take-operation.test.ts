import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { takeOperation } from '../../store/bulk/operations';
import { openStore } from '../../store/connection';
import { useLedger } from '../support/ledger';

const ledger = useLedger();

it('takes only some operations of one tenant at once, so that those of others need not wait', async () => {
  await ledger().query(`insert into escapement.bulk_operations (operation_id, kind, tenant, actor, filter, change, total, created_at)
    select gen_random_uuid(), 'trigger', case when n > 11 then 'b' else 'a' end, 'ops', '{}', '{}', 1, now() + n * interval '1 ms'
    from generate_series(1, 12) n`);
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const take = async (server: string) => (await takeOperation(store, server))?.tenant;
  const one = randomUUID();
  const taken: unknown[] = [];
  for (let n = 0; n < 12; n++) taken.push(await take(one));
  expect(taken).toEqual([...Array(10).fill('a'), 'b', undefined]);
  expect(await take(randomUUID())).toBe('a');
});
