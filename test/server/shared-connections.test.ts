import { expect, it } from 'vitest';
import { createToken } from '../../server/access/tokens';
import { useApi } from '../support/api';
import { heldStatements, watchedPool } from '../support/connections/watched-pool';

const api = useApi();
const CONNECTIONS = 8;
/** Bulk changes may take two others, and one stays free. */
const OF_REQUESTS = 5;
/** As many reads of an overview run at once. */
const OF_A_TENANT = 4;

/** A server whose reads of `GET /v1/stats` are held in Postgres until they are let go. */
function slowStats() {
  const { before, letGo, held, untilClose } = heldStatements(api().ledger, (text) => text.includes('firing_counts'));
  const pool = { ...watchedPool(api().ledger, { before }, CONNECTIONS), options: { max: CONNECTIONS } };
  untilClose();
  const of = api().open({ connectionString: undefined as never, pool });
  return { of, letGo, held };
}

async function bearer(name: string, tenant?: string) {
  const postgres = { connectionString: api().ledger.databaseUrl };
  const { token } = await createToken(postgres, { name, tenant, scopes: ['read'], actor: 'ops' });
  return { authorization: `Bearer ${token}` };
}

it('slow reads of one tenant leave a connection for others, who are answered, and the server stays ready', async () => {
  const { of, letGo, held } = slowStats();
  const { ask } = api();
  const [acme, globex] = [await bearer('acme', 'acme'), await bearer('globex', 'globex')];
  await expect.poll(async () => (await ask({ url: '/readyz', of })).status).toBe(200);
  const slow = Array.from({ length: 8 }, () => ask({ url: '/v1/stats', headers: acme, of }));
  await expect.poll(held).toBeGreaterThanOrEqual(OF_A_TENANT);
  for (let time = 0; time < 3; time++) {
    expect(await ask({ url: '/v1/schedules', headers: globex, of })).toMatchObject({ status: 200 });
    expect(await ask({ url: '/readyz', of })).toMatchObject({ status: 200 });
  }
  expect(held()).toBe(OF_A_TENANT);
  letGo();
  expect((await Promise.all(slow)).map(({ status }) => status)).toEqual(Array(8).fill(200));
});

it('slow reads of all leave a connection for the server itself: it stays ready, and knows its callers', async () => {
  const { of, letGo, held } = slowStats();
  const { ask } = api();
  const headers = [await bearer('acme', 'acme'), await bearer('globex', 'globex'), await bearer('ops')];
  await expect.poll(async () => (await ask({ url: '/readyz', of })).status).toBe(200);
  const slow = headers.flatMap((one) => [1, 2, 3].map(() => ask({ url: '/v1/stats', headers: one, of })));
  await expect.poll(held).toBeGreaterThanOrEqual(OF_REQUESTS);
  expect(await ask({ url: '/readyz', of })).toMatchObject({ status: 200 });
  expect(await ask({ url: '/v1/schedules', headers: { authorization: 'Bearer nobody' }, of })).toMatchObject({
    status: 401,
  });
  expect(held()).toBe(OF_REQUESTS);
  letGo();
  expect((await Promise.all(slow)).map(({ status }) => status)).toEqual(Array(9).fill(200));
});
