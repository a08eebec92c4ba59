import { Pool } from 'pg';
import type { PoolLike } from '../../index';
import type { TestLedger } from './ledger';

/** Told of each statement that goes through the pool. */
export interface Watcher {
  before?(text: string, values: unknown[]): void;
  after?(text: string): void;
}

/** A real pool whose statements a test watches; it ends with the ledger. */
export function watchedPool(ledger: TestLedger, watcher: Watcher): PoolLike {
  const pool = new Pool({ connectionString: ledger.databaseUrl, max: 3 });
  ledger.beforeClose(() => pool.end());
  return {
    on: (event, listener) => pool.on(event, listener),
    removeListener: (event, listener) => pool.removeListener(event, listener),
    connect: async () => {
      const client = await pool.connect();
      return {
        on: (event, listener) => client.on(event, listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
        query: async (config) => {
          watcher.before?.(config.text, config.values ?? []);
          const result = await client.query(config);
          watcher.after?.(config.text);
          return result;
        },
        release: (error) => client.release(error),
      };
    },
  };
}
