import { sql } from 'kysely';
import { afterEach, expect, it, vi } from 'vitest';
import { type OpenStore, openStore } from '../../store/connection';
import { poolOf } from '../support/connections/pool';
import { useLedger } from '../support/ledger';

const ledger = useLedger();

afterEach(() => vi.useRealTimers());

function opened(connectionsAtMost: number): OpenStore {
  const store = openStore({ connectionString: ledger().databaseUrl, connectionsAtMost });
  ledger().beforeClose(() => store.close());
  return store;
}

function openedOnPoolOfTheCaller(): OpenStore {
  const pool = poolOf({ connectionString: ledger().databaseUrl, max: 1 });
  ledger().beforeClose(() => pool.end());
  return openStore({ pool });
}

/** Takes a connection; the returned function gives it back. */
async function hold({ db }: OpenStore): Promise<() => Promise<void>> {
  let giveBack = () => {};
  const kept = new Promise<void>((resolve) => {
    giveBack = resolve;
  });
  let held: Promise<void> | undefined;
  await new Promise<void>((resolve, reject) => {
    held = db.connection().execute(async () => {
      resolve();
      await kept;
    });
    held.catch(reject);
  });
  return async () => {
    giveBack();
    await held;
  };
}

const one = async ({ db }: OpenStore) => (await sql`select 1 as one`.execute(db)).rows;

it.each([
  ['a pool', () => opened(1)],
  ['a share of it', () => opened(2).share(1)],
  ['a pool of the caller', openedOnPoolOfTheCaller],
])(
  'a statement waits for a connection of %s that others hold as long as their statements may take',
  async (_, open) => {
    const store = open();
    let giveBack = await hold(store);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const patient = one(store);
    await vi.advanceTimersByTimeAsync(14_000);
    await giveBack();
    expect(await patient).toEqual([{ one: 1 }]);

    giveBack = await hold(store);
    const refused = expect(one(store)).rejects.toMatchObject({
      name: 'PostgresUnreachableError',
      message: expect.stringContaining('no connection to Postgres became free in time'),
    });
    await vi.advanceTimersByTimeAsync(16_000);
    await refused;
    await giveBack();
    // Whoever gave up waiting has kept no place.
    expect(await one(store)).toEqual([{ one: 1 }]);
  },
);

it('who may hold a share of the connections leaves the others free, however much waits for the share', async () => {
  const store = opened(2);
  const share = store.share(1);
  const part = share.share(5);
  const giveBack = await hold(share);
  const waiting = [one(share), one(part), one(part)];
  expect(await one(store)).toEqual([{ one: 1 }]);
  expect(await one(store)).toEqual([{ one: 1 }]);
  await giveBack();
  expect(await Promise.all(waiting)).toEqual([[{ one: 1 }], [{ one: 1 }], [{ one: 1 }]]);
  expect((await sql`select 1 / 0`.execute(share.db).catch((error) => error)).code).toBe('22012');
  expect(await one(share)).toEqual([{ one: 1 }]);
});

it('a statement that Postgres has cancelled is named as one, and its connection goes on', async () => {
  const store = opened(1);
  const slow = store.db.connection().execute(async (db) => {
    await sql`set statement_timeout = 20`.execute(db);
    try {
      return await sql`select count(*) from generate_series(1, 1e9::bigint)`.execute(db);
    } finally {
      await sql`set statement_timeout = 10000`.execute(db);
    }
  });
  await expect(slow).rejects.toMatchObject({ name: 'StatementTimeoutError', cause: { code: '57014' } });
  expect(await one(store)).toEqual([{ one: 1 }]);
});
