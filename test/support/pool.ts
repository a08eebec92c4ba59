import { Pool, type PoolConfig } from 'pg';

/** A pool of a test's own. A connection that it has ended may still be told that its database is dropped. */
export function poolOf(config: PoolConfig): Pool {
  const ignore = () => {};
  return new Pool(config).on('error', ignore).on('connect', (connection) => connection.on('error', ignore));
}
