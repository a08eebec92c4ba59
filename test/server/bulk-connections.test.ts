import { expect, it } from 'vitest';
import { AT_ONCE } from '../../client/bulk/run-bulk';
import { createToken } from '../../server/access/tokens';
import { open } from '../../server/serve';
import { heldStatements, patiently, watchedPool } from '../support/connections/watched-pool';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger();
/** So few that a tenant's requests hold two at most. */
const CONNECTIONS = 4;

it('bulk changes of a tenant take no connections from its requests', async () => {
  const { databaseUrl, client } = ledger();
  for (let n = 0; n < 4; n++) await client.create(someSchedule({ scheduleId: `s-${n}`, tenant: 'acme' }));
  const { before, letGo, held, untilClose } = heldStatements(ledger(), (text) =>
    /bulk_schedules.*set outcome/s.test(text),
  );
  const pool = { ...watchedPool(ledger(), { before, instead: patiently }, CONNECTIONS), options: { max: CONNECTIONS } };
  const server = open({ pool });
  ledger().beforeClose(() => server.close());
  untilClose();
  const { token } = await createToken(
    { connectionString: databaseUrl },
    { name: 'acme', tenant: 'acme', scopes: ['read', 'operate'], actor: 'ops' },
  );
  const headers = { authorization: `Bearer ${token}` };
  const ask = async (url: string) => (await server.app.inject({ url, headers })).statusCode;
  await expect.poll(() => ask('/readyz')).toBe(200);
  const payload = { filter: { all: true } };
  const asked = await server.app.inject({ method: 'POST', url: '/v1/bulk/pause', headers, payload });
  expect(asked.statusCode).toBe(202);
  await expect.poll(held).toBe(AT_ONCE);
  expect([await ask('/v1/schedules'), await ask('/readyz')]).toEqual([200, 200]);
  letGo();
  const url = `/v1/operations/${asked.json().operationId}`;
  await expect
    .poll(async () => (await server.app.inject({ url, headers })).json())
    .toMatchObject({ state: 'done', changed: 4 });
});
