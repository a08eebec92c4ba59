import { type RawBuilder, sql } from 'kysely';
import { advisoryKey } from '../advisory-lock';
import { openStore, type PostgresOptions, type Store, storeOn } from '../connection';
import { isRightMissing } from '../postgres-errors';
import { liftLimits } from './limits';

/**
 * Run work on one connection without time limits, while no other process archives, restores or purges.
 *
 * @returns undefined if another process does; the work is then not run
 */
export async function alone<Result>(
  postgres: PostgresOptions,
  work: (store: Store, now: Date) => Promise<Result>,
): Promise<Result | undefined> {
  const opened = openStore({ ...postgres, queryTimeoutMilliseconds: 0, connectionsAtMost: 1 }, { bounded: false });
  try {
    return await opened.db.connection().execute(async (connection) => {
      const store = storeOn(connection, opened.schema);
      await liftLimits(store);
      // Instants are written in UTC. A statement waits for a lock for two seconds at most, since claims may wait behind
      // it.
      await sql`select set_config('timezone', 'UTC', false), set_config('lock_timeout', '2s', false)`.execute(store.db);
      const { rows } = await sql<{ mine: boolean; now: Date }>`
        select pg_try_advisory_lock(${keyOf(store)}) as mine, clock_timestamp() as now`.execute(store.db);
      if (!rows[0]!.mine) return undefined;
      try {
        return await work(store, rows[0]!.now);
      } catch (error) {
        if (!isRightMissing(error)) throw error;
        throw new Error(`${(error as Error).message}; do it as the owner of the schema`, { cause: error });
      } finally {
        // A lost session has no lock. Its error would hide the one that the caller must see.
        await sql`select pg_advisory_unlock(${keyOf(store)})`.execute(store.db).catch(() => undefined);
      }
    });
  } finally {
    await opened.close();
  }
}

/**
 * Run work on one connection of a store, while no other process archives or restores. Several processes may run such
 * work at once.
 *
 * @returns undefined if another process archives or restores; the work is then not run
 */
export async function besideNoArchive<Result>(
  opened: Store,
  work: (store: Store) => Promise<Result>,
): Promise<Result | undefined> {
  return opened.db.connection().execute(async (connection) => {
    const store = storeOn(connection, opened.schema);
    const { rows } = await sql<{ mine: boolean }>`
      select pg_try_advisory_lock_shared(${keyOf(store)}) as mine`.execute(store.db);
    if (!rows[0]!.mine) return undefined;
    try {
      return await work(store);
    } finally {
      await sql`select pg_advisory_unlock_shared(${keyOf(store)})`.execute(store.db).catch(() => undefined);
    }
  });
}

function keyOf(store: Store): RawBuilder<unknown> {
  return advisoryKey(store, 'archive');
}
