import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { BULK_OPERATION_STATES } from '../../core/bulk';
import { readOperations, takeOperation } from '../../store/bulk/operations';
import { openStore } from '../../store/connection';
import { useLedger } from '../support/ledger';

const ledger = useLedger();

it('takes only some operations of one tenant at once, so that those of others need not wait, and says what each waits for', async () => {
  await ledger().query(`insert into escapement.bulk_operations (operation_id, kind, tenant, actor, filter, change, total, created_at)
    select gen_random_uuid(), 'trigger', case when n > 11 then 'b' else 'a' end, 'ops', '{}', '{}', 1, now() + n * interval '1 ms'
    from generate_series(1, 12) n`);
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const take = async (server: string) => (await takeOperation(store, server))?.tenant;
  const waits = async () => {
    const newestFirst = await readOperations(store, { tenant: undefined, states: BULK_OPERATION_STATES, limit: 12 });
    return newestFirst.map(({ waitsFor }) => waitsFor).reverse();
  };
  const one = randomUUID();
  const taken: unknown[] = [];
  expect(await waits()).toEqual(Array(12).fill('process'));
  for (let n = 0; n < 10; n++) taken.push(await take(one));
  expect(await waits()).toEqual([...Array(10).fill(null), 'turn', 'process']);
  for (let n = 0; n < 2; n++) taken.push(await take(one));
  expect(taken).toEqual([...Array(10).fill('a'), 'b', undefined]);
  expect(await take(randomUUID())).toBe('a');
});

it.each([
  ['archive', '{}'],
  ['pause', '7'],
  ['pause', 'null'],
])(
  'leaves an operation of kind %s with the change %s to newer programs, and takes those behind it',
  async (kind, change) => {
    const ids = [randomUUID(), randomUUID()];
    for (const [n, id] of ids.entries()) {
      await ledger().query(
        `insert into escapement.bulk_operations (operation_id, kind, actor, filter, change, total, created_at)
       values ($1, $2, 'ops', '{}', $3::jsonb, 1, now() + $4 * interval '1 ms')`,
        [id, n === 0 ? kind : 'pause', n === 0 ? change : '{}', n],
      );
    }
    const store = openStore({ connectionString: ledger().databaseUrl });
    ledger().beforeClose(() => store.close());
    expect((await takeOperation(store, randomUUID()))?.operationId).toBe(ids[1]);
    expect(await takeOperation(store, randomUUID())).toBeUndefined();
  },
);
