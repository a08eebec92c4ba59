import { expect, it } from 'vitest';
import { createToken } from '../../server/access/tokens';
import { useApi } from '../support/api';
import { heldStatements, watchedPool } from '../support/connections/watched-pool';
import { listen } from '../support/events';

const api = useApi();
const CONNECTIONS = 8;
/** Bulk changes may take two others, and one stays free. */
const OF_REQUESTS = 5;
/** As many reads of an overview run at once. */
const OF_A_TENANT = 4;

/** A pool of which some reads are held until they are let go. */
function slowPool(isHeld: Parameters<typeof heldStatements>[1]) {
  const { before, letGo, held, untilClose } = heldStatements(api().ledger, isHeld);
  const pool = { ...watchedPool(api().ledger, { before }, CONNECTIONS), options: { max: CONNECTIONS } };
  untilClose();
  // What a test holds back must not be given up while the machine is busy.
  const options = { connectionString: undefined as never, pool, queryTimeoutMilliseconds: 90_000 };
  return { letGo, held, options };
}

/** A server whose reads of `GET /v1/stats` are held until they are let go. */
function slowStats() {
  const { options, ...slow } = slowPool((text) => text.includes('firing_counts'));
  return { ...slow, of: api().open(options) };
}

/** A position that a reader of events had. */
async function formerPosition() {
  const reader = await (await listen(api())).read();
  const end = reader.next();
  await expect.poll(() => reader.lastId).toBeDefined();
  reader.stop();
  await end;
  return reader.lastId!;
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

it('readers of events that catch up take no connection of other tenants, or of the server itself', async () => {
  const id = await formerPosition();
  const [, from] = JSON.parse(Buffer.from(id, 'base64url').toString());
  // These also move the ledger on from that position.
  const [acme, globex] = [await bearer('acme', 'acme'), await bearer('globex', 'globex')];
  const { options, letGo, held } = slowPool((_text, values) => values.includes(from));
  const { server: of, read } = await listen(api(), options);
  const { ask } = api();
  await expect.poll(async () => (await ask({ url: '/readyz', of })).status).toBe(200);
  await Promise.all(Array.from({ length: 8 }, () => read('/v1/events', { ...acme, 'last-event-id': id })));
  await expect.poll(held).toBeGreaterThanOrEqual(OF_A_TENANT);
  expect(await ask({ url: '/readyz', of })).toMatchObject({ status: 200 });
  expect(await ask({ url: '/v1/schedules', headers: globex, of })).toMatchObject({ status: 200 });
  expect((await read('/v1/events', globex)).response.status).toBe(200);
  expect(held()).toBe(OF_A_TENANT);
  letGo();
});
