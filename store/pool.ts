/** The part of a `pg.PoolClient` that Escapement uses. */
export interface PoolClientLike {
  /** Run one statement. */
  query(config: {
    text: string;
    values?: unknown[];
    name?: string;
  }): Promise<{ command: string; rowCount: number | null; rows: unknown[] }>;
  /** The server's process, as the server said at the start of the connection. */
  readonly processID?: number | null;
  /** Close it; a statement that waits for its answer fails. */
  end?(): Promise<void>;
  /** Give the connection back; with an error or `true` it is closed instead. */
  release(error?: Error | boolean): void;
  /** Hear of a connection that dies between two statements. */
  on?(event: 'error', listener: (error: Error) => void): unknown;
  /** Stop hearing of it. */
  removeListener?(event: 'error', listener: (error: Error) => void): unknown;
}

/** The part of a `pg.Pool` that Escapement uses. */
export interface PoolLike {
  /** Take a connection. */
  connect(): Promise<PoolClientLike>;
  /** Hear of an idle connection that dies. */
  on?(event: 'error', listener: (error: Error) => void): unknown;
  /** Stop hearing of it. */
  removeListener?(event: 'error', listener: (error: Error) => void): unknown;
}
