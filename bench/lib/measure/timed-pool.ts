import { Pool, type PoolClient } from 'pg';
import type { PoolClientLike, PoolLike } from '../../../index';

/** A pool that measures the time of some statements. */
export interface TimedPool {
  pool: PoolLike;
  close(): Promise<void>;
}

/** Reports how long each statement whose text matches took, in milliseconds, until its rows arrived. */
export function timedPool(databaseUrl: string, match: RegExp, onTimed: (milliseconds: number) => void): TimedPool {
  const pool = new Pool({ connectionString: databaseUrl });
  pool.on('error', () => {});
  const timed = new WeakMap<PoolClient, PoolClientLike>();
  const connect = async () => {
    const client = await pool.connect();
    if (!timed.has(client)) timed.set(client, timedClient(client, match, onTimed));
    return timed.get(client)!;
  };
  return {
    pool: {
      on: (event, listener) => pool.on(event, listener),
      removeListener: (event, listener) => pool.removeListener(event, listener),
      connect,
    },
    close: () => pool.end(),
  };
}

function timedClient(client: PoolClient, match: RegExp, onTimed: (milliseconds: number) => void): PoolClientLike {
  return {
    processID: (client as PoolClientLike).processID ?? null,
    on: (event, listener) => client.on(event, listener),
    removeListener: (event, listener) => client.removeListener(event, listener),
    query: async (config) => {
      const begun = performance.now();
      const result = await client.query(config);
      if (match.test(config.text)) onTimed(performance.now() - begun);
      return result;
    },
    release: (error) => client.release(error),
  };
}
