import { noConnectionFree } from './postgres-errors';

/** The part of a `pg.PoolClient` that Escapement uses. */
export interface PoolClientLike {
  /** Run one statement, or several without values. */
  query(config: {
    text: string;
    values?: unknown[];
    name?: string;
  }): Promise<{ command: string; rowCount: number | null; rows: unknown[] }>;
  /** The process ID of the Postgres server process, which the server sends when the connection begins. */
  readonly processID?: number | null;
  /** Close the connection; a statement that waits for its answer fails. */
  end?(): Promise<void>;
  /** Give the connection back to the pool. With an error or `true`, the pool closes the connection instead. */
  release(error?: Error | boolean): void;
  /** Listen for the error of a connection that dies between two statements. */
  on?(event: 'error', listener: (error: Error) => void): unknown;
  /** Stop listening. */
  removeListener?(event: 'error', listener: (error: Error) => void): unknown;
}

/** The part of a `pg.Pool` that Escapement uses. */
export interface PoolLike {
  /** The options of the pool. */
  readonly options?: {
    /**
     * The maximum number of connections. A server and a trigger use it to keep one connection free for work that must
     * not wait.
     */
    readonly max?: number;
  };
  /** Take a connection. */
  connect(): Promise<PoolClientLike>;
  /** Listen for an idle connection that dies. */
  on?(event: 'error', listener: (error: Error) => void): unknown;
  /** Stop listening. */
  removeListener?(event: 'error', listener: (error: Error) => void): unknown;
}

/**
 * Take a connection of a pool that may let its users wait for ever.
 *
 * @param waitMilliseconds the longest wait; 0 waits for ever
 * @throws {PostgresUnreachableError} if no connection was free in time
 */
export function connectWithin(pool: PoolLike, waitMilliseconds: number): Promise<PoolClientLike> {
  const connecting = pool.connect();
  if (waitMilliseconds === 0) return connecting;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(noConnectionFree());
      connecting.then(
        (late) => late.release(),
        () => undefined,
      );
    }, waitMilliseconds);
    connecting.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
