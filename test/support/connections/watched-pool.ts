import { Pool, type PoolClient } from 'pg';
import type { PoolClientLike, PoolLike } from '../../../index';
import type { TestLedger } from '../ledger';

/** Functions that a watched pool calls for each statement. */
export interface Watcher {
  /** The statement is sent once this has returned. */
  before?(text: string, values: unknown[]): unknown;
  /** The answer is given once this has returned. */
  after?(text: string): unknown;
  /** Returns the text that is sent in place of the statement. */
  instead?(text: string): string;
}

/** The statement with its `lock_timeout` and `idle_in_transaction_session_timeout` raised to a minute. */
export function patiently(text: string): string {
  return text.replace(/((?:lock|idle_in_transaction_session)_timeout\W+)[25]s/g, (_, name) => `${name}60s`);
}

/**
 * Options of a client whose statements wait a minute for a lock. For tests in which many clients want the same lock: on
 * a busy machine another client may hold it for more than the usual two seconds.
 */
export function patient(ledger: Pick<TestLedger, 'databaseUrl' | 'beforeClose'>, max = 3) {
  const pool = watchedPool(ledger, { instead: patiently }, max);
  return { connectionString: undefined, pool, queryTimeoutMilliseconds: 90_000 };
}

/**
 * Holds statements back until `letGo` is called, at the latest when the ledger closes: if an assertion fails, what waits
 * for them can end nevertheless.
 */
export function heldStatements(
  ledger: Pick<TestLedger, 'beforeClose'>,
  isHeld: (text: string, values: unknown[]) => boolean,
) {
  let letGo = () => {};
  const gone = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let held = 0;
  const before = (text: string, values: unknown[]) => {
    if (!isHeld(text, values)) return undefined;
    held += 1;
    return gone;
  };
  return { before, letGo, held: () => held, untilClose: () => ledger.beforeClose(async () => letGo()) };
}

/** A real pool whose statements a test can watch. The pool ends when the ledger closes. */
export function watchedPool(
  ledger: Pick<TestLedger, 'databaseUrl' | 'beforeClose'>,
  watcher: Watcher,
  max = 3,
): PoolLike {
  const pool = new Pool({ connectionString: ledger.databaseUrl, max, statement_timeout: 60_000 });
  // Its last connections end a moment after it, and the database may end them first.
  pool.on('error', () => undefined);
  ledger.beforeClose(() => pool.end());
  const watched = new WeakMap<PoolClient, PoolClientLike>();
  return {
    on: (event, listener) => pool.on(event, listener),
    removeListener: (event, listener) => pool.removeListener(event, listener),
    connect: async () => {
      const client = await pool.connect();
      if (!watched.has(client)) watched.set(client, watch(client, watcher));
      return watched.get(client)!;
    },
  };
}

function watch(client: PoolClient, watcher: Watcher): PoolClientLike {
  return {
    processID: (client as PoolClientLike).processID ?? null,
    on: (event, listener) => client.on(event, listener),
    removeListener: (event, listener) => client.removeListener(event, listener),
    query: async (config) => {
      // Sent once per connection, not per statement.
      if (!config.text.startsWith('select pg_backend_pid')) await watcher.before?.(config.text, config.values ?? []);
      const text = watcher.instead?.(config.text) ?? config.text;
      const result = await client.query({ ...config, text });
      await watcher.after?.(config.text);
      return result;
    },
    release: (error) => client.release(error),
  };
}
