/** The part of a `pg.PoolClient` that Escapement uses. */
export interface PoolClientLike {
  /** Run one statement. */
  query(config: {
    text: string;
    values?: unknown[];
    name?: string;
  }): Promise<{ command: string; rowCount: number | null; rows: unknown[] }>;
  /** The server process, as the server names it at the start of the connection. */
  readonly processID?: number | null;
  /** Close the connection; a statement that waits for its answer fails. */
  end?(): Promise<void>;
  /** Give the connection back. With an error or `true` it is closed instead. */
  release(error?: Error | boolean): void;
  /** Listen for a connection that dies between two statements. */
  on?(event: 'error', listener: (error: Error) => void): unknown;
  /** Stop listening. */
  removeListener?(event: 'error', listener: (error: Error) => void): unknown;
}

/** The part of a `pg.Pool` that Escapement uses. */
export interface PoolLike {
  /** Take a connection. */
  connect(): Promise<PoolClientLike>;
  /** Listen for an idle connection that dies. */
  on?(event: 'error', listener: (error: Error) => void): unknown;
  /** Stop listening. */
  removeListener?(event: 'error', listener: (error: Error) => void): unknown;
}
