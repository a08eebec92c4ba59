import { Pool, type PoolConfig } from 'pg';

/** A pool for one test. Connections that it has closed may still get an error when their database is dropped. */
export function poolOf(config: PoolConfig): Pool {
  const ignore = () => {};
  return new Pool(config).on('error', ignore).on('connect', (connection) => connection.on('error', ignore));
}
